import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { bookingRoute, type Desk } from './booking-routes.ts';
import { readParcel } from './parcel.ts';
import { quote } from './quote.ts';
import { Shipments } from './shipments.ts';
import { areaOf } from './zones.ts';

/** The largest request body in bytes that is read. */
const MAX_BODY_BYTES = 64 * 1024;

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/** The body's JSON; undefined when it is none or too large. */
const readBody = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const postQuote = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const reading = readParcel(await readBody(request));
  if (!reading.ok) return answer(response, 400, { errors: reading.errors });
  const result = quote(reading.parcel);
  return result.ok ? answer(response, 200, result.quote) : answer(response, 422, { reason: result.reason });
};

const getZone = (postcode: string, response: ServerResponse): void => {
  const area = areaOf(postcode);
  return area === null ? answer(response, 404, { reason: 'unknown_postcode' }) : answer(response, 200, area);
};

const route = async (desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST' && pathname === '/quote') return postQuote(request, response);
  if (request.method === 'GET' && pathname === '/health') return answer(response, 200, { status: 'up' });
  const zone = /^\/zones\/(\d+)$/.exec(pathname);
  if (request.method === 'GET' && zone !== null) return getZone(zone[1] ?? '', response);
  const method = request.method ?? 'GET';
  const booked = bookingRoute(desk, method, pathname, method === 'POST' ? await readBody(request) : undefined);
  return booked === null ? answer(response, 404, { reason: 'not_found' }) : answer(response, booked.status, booked.body);
};

/** Day and hour in the time zone of the machine, which is the carrier's. */
const localClock = (): { day: string; hour: number } => {
  const now = new Date();
  const two = (n: number): string => String(n).padStart(2, '0');
  return { day: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`, hour: now.getHours() };
};

/** The HTTP service, not listening yet; shipments are kept in memory. */
export const createQuoteServer = (desk: Desk = { shipments: new Shipments(), contracts: [], clock: localClock }): Server =>
  createServer((request, response) => {
    route(desk, request, response).catch(() => answer(response, 500, { reason: 'internal' }));
  });
