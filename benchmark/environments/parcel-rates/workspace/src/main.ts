import { createQuoteServer } from './server.ts';

const port = Number(process.env['PORT'] ?? 8080);
createQuoteServer().listen(port, () => console.log(`parcel-rates on port ${port}`));
