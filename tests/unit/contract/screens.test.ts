import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { rowsOf, sentencesOf } from './specification.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** The folders and files that draw what a heading of §2 describes, besides `shared`. */
const drawnBy: Record<string, string[]> = {
  Forms: ['app/shell/'],
  'Start-up': ['app/shell/'],
  'Password page': ['app/features/auth/password-screen.tsx'],
  'Side menu': ['app/shell/', 'app/state/'],
  Feed: ['app/features/feed/'],
  Reports: ['app/features/video-dialogs/', 'app/features/feed/controls/'],
  Favourites: ['app/features/feed/', 'app/features/videos/'],
  'Filter popup': ['app/features/feed/', 'app/state/'],
  Videos: ['app/features/videos/', 'app/state/'],
  Details: ['app/features/video-dialogs/'],
  'Upload Videos': ['app/features/upload/', 'app/shell/'],
  'EULA modal': ['app/features/upload/'],
  'Tag Management': ['app/features/tag-management/', 'app/shell/'],
  'Video Tagging': ['app/features/video-tagging/', 'app/shell/'],
  'Sign-in dialog': ['app/features/auth/'],
  'First run': ['app/features/admin/'],
  Plans: ['app/features/profile/plans-dialog.tsx'],
  Profile: ['app/features/profile/'],
  'Venue mode': ['app/features/feed/venue/'],
  'Performance Dashboard': ['app/features/performance/', 'app/views.ts'],
  Administration: ['app/features/admin/'],
  'Offline and updates': ['app/shell/', 'app/features/feed/', 'app/features/profile/'],
};
const shared = ['app/ui/', 'contract/'];

/** Words of the tables that are no sentences. */
const names = ['?setup=', 'successMessageSeconds', 'updateOfferMs'];

/** In its place `changeWaits` of §8 is said. */
const undrawn = ['Offline and updates: You are offline. This will be sent when you are back.'];

/** Stands for whatever is put into a sentence. */
const hole = '\u2026';

test('each sentence in the tables of §2 is drawn by the code of its screen', () => {
  const drawn = new Map<string, Set<string>[]>();
  for (const [heading, rooms] of Object.entries(drawnBy)) drawn.set(heading, readRooms([...rooms, ...shared]));
  const missing = sentencesOf(2)
    .filter(({ sentence }) => !names.includes(sentence))
    .filter(({ heading, sentence }) => !isDrawn(sentence, drawn.get(heading) ?? []))
    .map(({ heading, sentence }) => `${heading}: ${sentence}`);
  expect(missing).toEqual(undrawn);
});

test('the keys of the quadrants in §2 are those that the feed obeys', () => {
  const code = readFileSync(`${source}app/features/feed/feed-keys.ts`, 'utf8');
  const [, acts = ''] = /^export const acts: .* = \[(.*)\];$/m.exec(code) ?? [];
  const rows = rowsOf(2, 'Quadrant', ...acts.split(', ').map((act) => act.slice(1, -1).replace('-', ' ')));
  const obeyed = [...code.matchAll(/^ {2}'(\w+-\w+)': \['(.)', '(.)', '(.)', '(.)'\],$/gm)].map(([, ...row]) => row);
  expect(rows.map((row) => Object.values(row).map((cell) => cell.toLowerCase()))).toEqual(obeyed);
});

test('the entries of the menu in §2 are those of the code, for the same people', () => {
  const [code = '', views = '', pages = ''] = ['shell/menu/menu-entries.tsx', 'views.ts', 'state/navigation.ts'].map(
    (file) => readFileSync(`${source}app/${file}`, 'utf8'),
  );
  const audiences: Record<string, string> = {
    everybody: 'everybody',
    'signed-in': 'signed in',
    admin: 'effective tier admin',
  };
  const entries = code.matchAll(/^ {2}entry\('(.*)', \w+, '([\w-]+)'(?:, (\w+))?\),$/gm);
  const drawn = [...entries].map(([, label, view, group]) => {
    const [, list = ''] = new RegExp(`^export const ${group}\\b([^;]*);`, 'm').exec(pages) ?? [];
    const [, audience = ''] = new RegExp(`^ {2}'?${view}'?: .* audience: '(.*?)',`, 'm').exec(views) ?? [];
    const titles = [...list.matchAll(/title: '(.*?)'/g)].map(([, title]) => title);
    return { labels: [label, ...titles], audience: audiences[audience] };
  });
  const specified = rowsOf(2, 'Entry', 'Who sees it').map((row) => ({
    labels: (row.Entry ?? '').replaceAll('`', '').split(/, with | and /),
    audience: row['Who sees it'],
  }));
  expect(drawn).toEqual(specified);
});

const read = new Map<string, Set<string>>();

/** The texts of each file in these rooms. */
function readRooms(rooms: readonly string[]): Set<string>[] {
  const files = rooms.flatMap((room) =>
    room.endsWith('/') ? globSync(`${room}**/*.{ts,tsx}`, { cwd: source }) : room,
  );
  return files.map((file) => {
    const known = read.get(file) ?? readTexts(file);
    read.set(file, known);
    return known;
  });
}

/** Every text that a file writes, with a hole for what it puts in. */
function readTexts(file: string): Set<string> {
  const code = readFileSync(`${source}${file}`, 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const texts = new Set<string>();
  const visit = (node: ts.Node) => {
    for (const text of textsOf(node)) if (text !== hole) texts.add(normalize(text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, kind));
  return texts;
}

/** The texts that an expression, or what it draws, may have. */
function textsOf(node: ts.Node | undefined): string[] {
  if (node === undefined) return [''];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isJsxText(node)) return [node.text.replace(/\s*\n\s*/g, node.text.trim() === '' ? '' : ' ')];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (texts, span) => combine(texts, combine(textsOf(span.expression), [span.literal.text])),
      [node.head.text],
    );
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return combine(textsOf(node.left), textsOf(node.right));
  if (ts.isParenthesizedExpression(node) || ts.isJsxExpression(node)) return textsOf(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
    return ['', ...textsOf(node.right)];
  if (ts.isJsxSelfClosingElement(node)) return [textOfPart(node.getText())];
  if (ts.isJsxElement(node) || ts.isJsxFragment(node))
    return node.children.reduce((texts, child) => combine(texts, textsOf(child)), ['']);
  const [, noun] = (ts.isCallExpression(node) && /^countText\(.*, '(\w+)'\)$/.exec(node.getText())) || [];
  return [noun === undefined ? hole : `${hole} ${noun}s`];
}

/** The text of a part that other parts are put into. */
function textOfPart(code: string): string {
  if (code.startsWith('<Since ')) return `since ${hole}`;
  return /^<Badge words="([^"]*)" \/>$/.exec(code)?.[1] ?? hole;
}

/** No expression has as many branches as this. */
const mostTexts = 64;

const combine = (befores: readonly string[], afters: readonly string[]) =>
  befores.flatMap((before) => afters.map((after) => before + after)).slice(0, mostTexts);

/** A number may be written out, or put in. */
const normalize = (text: string) => text.replaceAll(/\d+/g, hole).replaceAll(/\s+/g, ' ').trim();

/** A sentence stands in a file as a whole, or in pieces of which none is left over. */
function isDrawn(sentence: string, files: readonly ReadonlySet<string>[]): boolean {
  const pattern = normalize(
    sentence
      .replaceAll(/\{[^}]*\}|\bN\b|\bTOTAL\b|\b[xyXYn]\b|\d+ minutes?\b|\b(?:CSV|JSON)$/g, hole)
      .replaceAll(/(\w+)\(s\)/g, '$1s'),
  );
  if (files.some((texts) => texts.has(pattern))) return true;
  const parts = pattern.split(hole);
  return files.some((texts) => parts.every((part) => isCovered(part, piecesOf(texts))));
}

const pieces = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

function piecesOf(texts: ReadonlySet<string>): ReadonlySet<string> {
  const known = pieces.get(texts) ?? new Set([...texts].flatMap((text) => text.split(hole).flatMap(cut)));
  pieces.set(texts, known);
  return known;
}

const cut = (piece: string) => piece.split(' · ').map(bare);

/** Without the marks that join a piece to others; what begins a sentence of its own may follow another one. */
const bare = (piece: string) =>
  piece
    .trim()
    .replace(/^[,.] /, '')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase());

function isCovered(part: string, known: ReadonlySet<string>): boolean {
  const rest = bare(part);
  if (rest === '') return true;
  return [...known].some(
    (piece) => piece !== '' && rest.startsWith(piece) && isCovered(rest.slice(piece.length), known),
  );
}
