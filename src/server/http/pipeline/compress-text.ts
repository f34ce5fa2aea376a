import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Quick ones: each answer is compressed anew. */
const encodings = [
  {
    name: 'br',
    compress: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: 'gzip', compress: (text: string) => promisify(gzip)(text) },
] as const;

/**
 * Makes an answer of words smaller, in the way that its client takes. Files have their compressed copies beside them.
 */
export async function compressText(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<string | Buffer> {
  const taken = readEncodings(headers['accept-encoding']);
  const encoding = encodings.find(({ name }) => taken.has(name));
  reply.header('vary', 'accept-encoding');
  if (encoding === undefined) return text;
  const compressed = await encoding.compress(text);
  reply.header('content-encoding', encoding.name);
  return compressed;
}

/** The encodings that an `Accept-Encoding` names without a weight. */
export function readEncodings(header = ''): Set<string> {
  return new Set(header.split(',').map((name) => name.trim()));
}
