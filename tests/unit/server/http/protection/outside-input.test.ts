import { fastifyCookie } from '@fastify/cookie';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { devicePollSchema } from '#contract/entities/account.ts';
import { idArraySchema, idListSchema, wholeNumberSchema } from '#contract/entities/fields.ts';
import { checkEmail, checkUserCode, checkUsername } from '#contract/rules/credentials.ts';
import { checkFilterSize, splitIds } from '#contract/rules/tag-filter.ts';
import { checkUploadFile } from '#contract/rules/upload-file.ts';
import { checkEnvFile } from '#server/env.ts';
import { nameShape, readProxies } from '#server/env-variables.ts';
import type { AuthDeps } from '#server/features/auth/auth-deps.ts';
import { toUsername } from '#server/features/auth/providers/provider-account.ts';
import { createIdentifyCaller, sessionCookie } from '#server/features/auth/sessions/session-credentials.ts';
import { readRefreshToken } from '#server/features/auth/sessions/session-tokens.ts';
import { deviceName } from '#server/features/auth/visitor.ts';
import { createSiteGate } from '#server/features/gate/site-gate.ts';
import { nameFromText, textFromName } from '#server/features/library/library-files.ts';
import { toLibraryPlace } from '#server/features/library/library-paths.ts';
import { readSamples } from '#server/features/performance/samples.ts';
import { gramsOf, readWords, SearchableName } from '#server/features/search/name-grams.ts';
import { isNotModified } from '#server/features/streaming/media-files.ts';
import { clientAddress, clientNetwork, matchRanges } from '#server/http/client-address.ts';
import { isNamed, readByteRange, readEncodings } from '#server/http/pipeline/representation.ts';
import { encodePathSegment, plainPath, refuseBadEncoding } from '#server/http/pipeline/request-parsing.ts';
import { createOwnHostCheck, hostNameOf, isCrossSite } from '#server/http/protection/allowed-hosts.ts';
import type { SigningKeys } from '#server/http/signing.ts';
import { sniffContainer } from '#server/media/containers/container-sniff.ts';
import { ProgressReader } from '#server/media/encode/encode-run.ts';
import { readDescription } from '#server/media/ffmpeg/ffmpeg-description.ts';
import { probe } from '#server/media/probe.ts';
import { readTrackName } from '#server/media/track-name.ts';
import { cleanCueText, readCues } from '#server/media/web-vtt.ts';
import { countSteps } from '#tests/support/count-steps.ts';
import { countedSource } from '../../media/containers/counted-source.ts';

/** What reads a text from outside, and the pieces that such a text is made of. */
interface Parser {
  read: (text: string) => unknown;
  pieces: string[];
  /** What stands before them, so that the reader gets that far. */
  start?: string;
}

const neverSigned = { isSigned: async () => false } as unknown as SigningKeys;
const gate = createSiteGate({ sitePassword: 'secret' }, neverSigned, { now: () => 0, elapsed: () => 0 });
const identifyCaller = createIdentifyCaller({
  changes: { listen: () => {} },
  tokens: { read: async () => ({ kind: 'none' }) },
} as unknown as AuthDeps);
const isOwnHost = createOwnHostCheck({
  allowed: [],
  publicOrigin: 'https://videos.example.org',
  hostNames: () => ['nas', '*.example.net'],
});
const isProxy = matchRanges(['10.0.0.0/8', 'fd00::/8']);
const requestWith = (facts: object) =>
  ({ headers: {}, cookies: {}, protocol: 'http', host: 'nas.local', ...facts }) as unknown as FastifyRequest;
const roots = ['one', 'two'].map((name) => ({ name })) as never;

const secondOfPlay = {
  timestamp: '2027-01-15T12:00:00Z',
  dropped_frames: 0,
  total_frames: 30,
  buffer_level_seconds: 1,
  stall_events: 0,
  quality_adjustments: 0,
};
const addressPieces = ['1', 'f', '.', ':', '::', '[', ']', '%', '/', ' ', '255.', 'ffff:', '-'];
const tokenPieces = ['a', '1', '.', '-', '_', '=', '+', '/', ' ', '0.', 'v1.'];
const parsers: Record<string, Parser> = {
  'a video that a report names': {
    read: (video_id) => readSamples({ samples: [{ ...secondOfPlay, video_id }] }, 'top-left', 0),
    pieces: ['a', '-', '.', '_', ' ', '<', '9'],
  },
  'a path': {
    read: plainPath,
    pieces: ['%25', '%', '25', '2', '5', '.', '..', '/', '\\', ' ', '%2e', '%C3%A4', '%E0', 'a', '?', '#', ':', 'ä'],
    start: '/',
  },
  'an absolute address': { read: plainPath, pieces: ['h', '+', '.', ':', '/', '%25', '?'], start: 'http' },
  'a path of tag calls': {
    read: encodePathSegment,
    pieces: ['/tags', '/', '?', 'a', '%2F', '/tag'],
    start: '/api/videos/',
  },
  'a query': {
    read: (url) => refuseBadEncoding(requestWith({ url })),
    pieces: ['%', '%25', 'a', '=', '&', '?'],
    start: '/?',
  },
  'a range': {
    read: (text) => readByteRange(text, 1_000_000, 65_536),
    pieces: ['0', '9', '-', ',', '=', ' ', '\t', 'bytes=', 'b'],
  },
  'a range of bytes': {
    read: (text) => readByteRange(text, 1_000_000, 65_536),
    pieces: ['0', '9', '-', ',', '=', ' ', '\t'],
    start: 'bytes=',
  },
  'the cookies': {
    read: (text) => fastifyCookie.parse(text),
    pieces: ['a', '=', ';', ' ', '"', '%', '%25', ',', '\t'],
  },
  'the cookie of the gate': { read: (text) => gate.isEntered(text), pieces: tokenPieces, start: 'v1.' },
  'the cookie of a session': {
    read: (text) => sessionCookie.read(neverSigned, requestWith({ cookies: { session: text } })),
    pieces: tokenPieces,
  },
  'a refresh token': { read: (text) => readRefreshToken(neverSigned, text), pieces: tokenPieces },
  'a bearer token': {
    read: (text) => identifyCaller(requestWith({ headers: { authorization: text }, facts: null })),
    pieces: ['a', '.', '=', ' ', '-', 'Bearer ', '\t', '!'],
    start: 'Bearer ',
  },
  'the ETags of a client': { read: (text) => isNamed(text, '"x"'), pieces: ['"', ',', 'W/', ' ', 'x', '*', '/'] },
  'a date': {
    read: (text) =>
      isNotModified({ 'if-modified-since': text }, { etag: '"x"', lastModified: 'Sun, 22 Nov 2026 00:00:00 GMT' }),
    pieces: ['Sun', ',', ' ', '1', ':', '(', ')', '-'],
  },
  'the encodings of a client': { read: readEncodings, pieces: ['br', 'gzip', ',', ' ', '\t', ';', 'q=0'] },
  'an address': { read: (ip) => [clientAddress({ ip }), clientNetwork({ ip })], pieces: addressPieces },
  'the address of a proxy': { read: isProxy, pieces: addressPieces },
  'a host': {
    read: (text) => isOwnHost(hostNameOf(text)),
    pieces: ['a', '.', '-', ':', '1', '[', ']', '.local', '@', '*', 'example.'],
  },
  'a name': { read: (text) => nameShape.test(text), pieces: ['a', '.', '-', '1', '_', 'a-', 'a.'] },
  'an origin': {
    read: (origin) => isCrossSite(requestWith({ headers: { origin } }), undefined),
    pieces: ['/', ':', '.', 'a', '@', '?', '#', '%'],
    start: 'https://',
  },
  'the name of a browser': { read: deviceName, pieces: ['Edg', 'AFT', 'w', '/', ' ', 'Chrom', 'Mac OS ', 'iP'] },
  'a list of ids': {
    read: (text) => [splitIds(text), idListSchema(checkFilterSize).safeParse(text)],
    pieces: ['a', ',', ' ', 'b,', 'ä'],
  },
  'a search': {
    read: (text) => readWords(text).map((word) => [gramsOf(word), new SearchableName(text).has(word)]),
    pieces: ['a', ' ', 'ab', '%', '東', '\t', 'é', '_'],
  },
  'ids in a body': {
    read: (text) => idArraySchema(checkFilterSize).safeParse(text.split('|')),
    pieces: ['a', '|', 'b|', ' '],
  },
  'a number': { read: (text) => wholeNumberSchema.safeParse(text), pieces: ['1', '-', '0', ' ', '.', 'e'] },
  'the code that a TV shows': { read: checkUserCode, pieces: ['B', 'b', '-', ' ', '1', 'ß'] },
  'the code that a TV polls with': {
    read: (text) => devicePollSchema.safeParse({ device_code: text }),
    pieces: ['a', ' ', '-'],
  },
  'an email': { read: checkEmail, pieces: ['a', '@', '.', ' ', 'a.', '@a'] },
  'a username': { read: checkUsername, pieces: ['a', '-', '_', ' ', 'ä', '\u{1f600}'] },
  'the name that a provider gives': { read: toUsername, pieces: ['a', '-', '@', '\n', ' ', '_', '.', '\ufdfa', '@\n'] },
  'the name of an upload': {
    read: (filename) => checkUploadFile({ filename, bytes: 1 }),
    pieces: ['a', '.', '/', '.mp4', ' ', '\\'],
  },
  'a path of the library': { read: (text) => toLibraryPlace(text, roots), pieces: ['a', '/', '..', 'one/', '%', 'ä'] },
  'the text of a file’s name': { read: nameFromText, pieces: ['a', '/', '\u{10ff00}', '\u{10ffff}', 'ä', '\ud800'] },
  'the bytes of a file’s name': {
    read: (text) => textFromName(Buffer.from(text, 'latin1')),
    pieces: ['a', '\xe4', '\xf0', '\x90', '\xff', '\xf0\x9f'],
  },
  'the beginning of a file': {
    read: (text) => sniffContainer(Buffer.from(text, 'latin1')),
    pieces: ['\0', 'B\x82', '\x1aE\xdf\xa3', 'ftyp', 'G', 'x'],
    start: '\x1aE\xdf\xa3',
  },
  'the boxes of an MP4 file': {
    read: (text) => probe(countedSource(Buffer.from(text, 'latin1'))),
    pieces: ['\0\0\0\x08free', '\0\0\0\x10moov', '\0\0\0\x08trak', '\0', '\xff', '\0\0\0\x01mdat'],
    start: '\0\0\0\x10ftypisom\0\0\0\0',
  },
  'the elements of a Matroska file': {
    read: (text) => probe(countedSource(Buffer.from(text, 'latin1'))),
    pieces: ['\xec\x80', '\x16T\xaek\x84', '\xae\x82', '\xec\xff', '\0', '\xff'],
    start: '\x1aE\xdf\xa3\x87B\x82\x84webm\x18S\x80g\x01\xff\xff\xff\xff\xff\xff\xff',
  },
  'the name of a subtitle file': { read: readTrackName, pieces: ['a', '.', '-', '_', 'en', 'forced', ' ', 'ä'] },
  'the cues of a subtitle file': {
    read: readCues,
    pieces: ['1', ':', ',', ' ', '-->', '\n', '\r', '00:00:01,000', 'a', '\t'],
    start: '1\n00:00:01,000 --> 00:00:02,000\n',
  },
  'the text of a cue': {
    read: cleanCueText,
    pieces: ['<', '>', '/', 'b', '1', ':', '{\\', '}', '&', 'amp;', '<b>', '\n'],
  },
  'what ffmpeg says': {
    read: readDescription,
    pieces: [
      '  Stream #0:0',
      ': Video: ',
      '1',
      ':',
      ' ',
      '\n',
      '  Duration: ',
      ', 1x1',
      ' [SAR 1:',
      'rotation of ',
      '-',
      '.',
      'a',
      ': Subtitle: ',
      '(',
      ')',
      ', a(',
      ', SAR 1:',
      ', 1 fps',
      ' Hz, ',
      '/',
      '        title           : ',
      ' bitrate: ',
    ],
    start: 'Input #0, \n  Stream #0:',
  },
  'how far ffmpeg is': {
    read: (text) => new ProgressReader(1, () => {}).read(Buffer.from(text)),
    pieces: ['out_time_us=', '1', '=', '\n', ' '],
  },
  'a .env': { read: checkEnvFile, pieces: ['A', '=', ' ', '\n', '\r', '"', "'", '#', 'export ', '\t', 'PORT'] },
  'a list of proxies': { read: readProxies, pieces: ['1', '.', ',', ' ', '/', 'on'] },
};

/**
 * Twice the text may take twice the steps, and a little for what is rounded; four times is what a nested loop takes.
 */
const maxGrowth = 3;
const characters = 300;

function growthOf(read: (text: string) => unknown, start: string, piece: string, end: string): number {
  const [once = 0, twice = 0] = [characters, 2 * characters].map((length) => {
    const text = `${start}${piece.repeat(Math.ceil(length / piece.length))}${end}`;
    return countSteps(() => quietly(read, text));
  });
  // What a call takes at all says nothing about growth.
  return twice / Math.max(once, 2 * characters);
}

function quietly(read: (text: string) => unknown, text: string): void {
  try {
    // Some go on later with what they have read.
    Promise.resolve(read(text)).catch(() => {});
  } catch {
    // A refusal is as good an answer as any other.
  }
}

describe('the steps that it takes to read', () => {
  test.each(Object.entries(parsers))('%s grow with its length at most', (_, { read, pieces, start = '' }) => {
    countSteps(() => quietly(read, start));
    const piece = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((chosen) => chosen.join(''));
    const end = fc.constantFrom('', '!', ...pieces);
    const growsSlowly = (repeated: string, last: string) => {
      expect(growthOf(read, start, repeated, last)).toBeLessThan(maxGrowth);
    };
    const alone = pieces.map((one): [string, string] => [one, '!']);
    fc.assert(fc.property(piece, end, growsSlowly), { numRuns: alone.length + 6, examples: alone });
  });

  test.each<[string, (text: string) => unknown, string, string]>([
    ['a loop in a loop', (text) => Array.from(text, (one) => Array.from(text, (other) => one === other)), 'a', ''],
    ['a pattern that goes back', (text) => /\s*,/.test(text), ' ', ''],
    ['a split by a pattern that goes back', (text) => text.split(/\s*,\s*/), ' ', '!'],
    ['a replacement by a pattern that goes back', (text) => text.replace(/\.+$/, ''), '.', '!'],
    ['decoding for as long as it changes anything', decodeRepeatedly, '25', '41'],
    [
      'looking through a list for each of its entries',
      (text) => text.split(',').filter((one, index, all) => all.indexOf(`${one}!`) === index),
      ',',
      '',
    ],
  ])('by %s are seen to grow faster', (_, read, piece, end) => {
    expect(growthOf(read, '%', piece, end)).toBeGreaterThan(maxGrowth);
  });
});

function decodeRepeatedly(text: string): string {
  const decoded = decodeURIComponent(text);
  return decoded === text ? text : decodeRepeatedly(decoded);
}
