import { EXIT, report } from './failure.ts';
import { processIo } from './io.ts';
import { buildProgram } from './program.ts';

// A reader that went away (| head) is no fault of ours.
process.stdout.on('error', (e: NodeJS.ErrnoException) => {
  if (e.code === 'EPIPE') process.exit(EXIT.done);
  throw e;
});

const io = processIo(process.env);
const session = { code: EXIT.done as number };
try {
  await buildProgram(io, session).parseAsync(process.argv);
} catch (error) {
  session.code = report(error, io);
}
process.exitCode = session.code;
