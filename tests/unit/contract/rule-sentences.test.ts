import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import {
  checkConfirmation,
  checkDisplayName,
  checkEmail,
  checkIdentifier,
  checkNewPassword,
  checkOwnNames,
  checkPassword,
  checkUserCode,
  checkUsername,
} from '#contract/rules/credentials.ts';
import { checkPieceBytes } from '#contract/rules/file-windows.ts';
import { checkLastDay, checkUpgrade } from '#contract/rules/plans.ts';
import { checkSkipDuration, checkSwitchInterval } from '#contract/rules/settings.ts';
import {
  checkAliases,
  checkAssignedTags,
  checkTagColor,
  checkTagDescription,
  checkTagName,
} from '#contract/rules/tag.ts';
import {
  checkAskedVideos,
  checkBlocklistSize,
  checkCheckedVideos,
  checkExcludeSize,
  checkFavourites,
  checkFilterSize,
  checkWatched,
} from '#contract/rules/tag-filter.ts';
import {
  checkEulaVersion,
  checkExtension,
  checkFileBytes,
  checkFileCount,
  checkFilename,
} from '#contract/rules/upload-file.ts';
import { checkReportText, checkVideoDescription, checkVideoTitle } from '#contract/rules/video-details.ts';
import { rowsOf } from './specification.ts';

const long = (characters: number) => 'a'.repeat(characters);
const ids = (count: number) => Array.from({ length: count }, (_, place) => `id-${place}`);

/** What each rule refuses: together these provoke every sentence it has. */
const refusals: Record<string, (string | null)[]> = {
  checkIdentifier: [checkIdentifier('  ')],
  checkPassword: [checkPassword(''), checkPassword(long(1025))],
  checkUsername: [checkUsername(' '), checkUsername('ab'), checkUsername(long(51)), checkUsername('a b c')],
  checkEmail: [checkEmail(''), checkEmail('mara')],
  checkNewPassword: [checkNewPassword(''), checkNewPassword(long(7)), checkNewPassword(long(1025))],
  checkOwnNames: [checkOwnNames('Mara2026', { username: 'mara', email: 'm@example.com' })],
  checkConfirmation: [checkConfirmation('password', ''), checkConfirmation('password', 'passwort')],
  checkDisplayName: [checkDisplayName(long(101)), checkDisplayName('ma\u200Bra')],
  checkTagName: [checkTagName('  '), checkTagName(long(101)), checkTagName('ho\u202Eme')],
  checkTagDescription: [checkTagDescription(long(501)), checkTagDescription('Reefs\0')],
  checkReportText: [checkReportText(long(201)), checkReportText('ho\u202Eme')],
  checkVideoTitle: [checkVideoTitle(long(201))],
  checkVideoDescription: [checkVideoDescription(long(2_001))],
  checkTagColor: [checkTagColor('red')],
  checkAliases: [checkAliases(ids(21))],
  checkAssignedTags: [checkAssignedTags([]), checkAssignedTags(ids(201))],
  checkFilterSize: [checkFilterSize(ids(201))],
  checkBlocklistSize: [checkBlocklistSize(ids(501))],
  checkExcludeSize: [checkExcludeSize(ids(65))],
  checkFavourites: [checkFavourites(limits.favourites + 1)],
  checkAskedVideos: [checkAskedVideos(ids(17))],
  checkWatched: [checkWatched([]), checkWatched(ids(65))],
  checkCheckedVideos: [checkCheckedVideos(ids(101))],
  checkFilename: [checkFilename(' '), checkFilename(long(256))],
  checkFileCount: [checkFileCount(0), checkFileCount(limits.uploadFilesPerSession + 1)],
  checkExtension: [checkExtension('notes.txt')],
  checkFileBytes: [checkFileBytes(limits.uploadBytes + 1), checkFileBytes(0)],
  checkEulaVersion: [checkEulaVersion('2.0', '1.0')],
  checkSkipDuration: [checkSkipDuration(45)],
  checkSwitchInterval: [checkSwitchInterval(4)],
  checkUserCode: [checkUserCode('AEIOU')],
  checkPieceBytes: [checkPieceBytes(300_000.5), checkPieceBytes(1)],
  checkLastDay: [checkLastDay('', '2026-12-31'), checkLastDay('2026-12-30', '2026-12-31')],
  checkUpgrade: [checkUpgrade('admin', 'pro'), checkUpgrade('basic', 'pro')],
};

const rules = readRules();

test('the sentences of §5 are those that the rules say', () => {
  const specified = rowsOf(5, 'Rule', 'Refused when', 'Sentence').map((row) => `${row.Rule}: ${row.Sentence}`);
  const said = Object.entries(refusals).flatMap(([rule, sentences]) =>
    sentences.map((sentence) => `${rule}: ${sentence}`),
  );

  expect(specified.sort()).toEqual(said.sort());
});

test('every rule that says a sentence of its own is in §5', () => {
  const speaking = [...rules].filter(([, source]) => sentencesIn(source).length > 0).map(([name]) => name);

  expect(speaking.sort()).toEqual(Object.keys(refusals).sort());
});

test.each([...rules].filter(([name]) => name in refusals))(
  '%s says nothing that the specification does not know',
  (name, source) => {
    const known = refusals[name]!.map(String);
    const unknown = sentencesIn(source).filter((pattern) => !known.some((sentence) => pattern.test(sentence)));

    expect(unknown).toEqual([]);
  },
);

/** The source of every exported `check…` function in `rules/`, by name. */
function readRules(): Map<string, string> {
  const folder = new URL('../../../src/contract/rules/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const sources = files.map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return new Map(
    sources.flatMap((source) =>
      [...source.matchAll(/^export function (check\w+)[\s\S]*?\n}$/gm)].map((match) => [match[1]!, match[0]]),
    ),
  );
}

/** The sentences in a piece of source, as patterns: a placeholder matches anything. */
function sentencesIn(source: string): RegExp[] {
  const literals = [...source.matchAll(/'([A-Z][^'\n]* [^'\n]*)'|`([A-Z][^`\n]* [^`\n]*)`/g)].map(
    (match) => match[1] ?? match[2]!,
  );
  return literals.map(
    (literal) =>
      new RegExp(
        `^${literal
          .split(/\$\{[^}]*\}/)
          .map(escaped)
          .join('.+')}$`,
      ),
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
