import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import ts from 'typescript';
import { projectFolder } from '#scripts/build-stamp.ts';
import { dialogSites } from './dialog-sites.ts';
import type { DialogWay } from './dialogs.ts';
import { dialogsOfQuadrants } from './dialogs.ts';

/** The parts that draw a dialog, each with the attribute that names it. */
const partsOfAll: Readonly<Record<string, string>> = {
  ConfirmDialog: 'title',
  FormDialog: 'title',
  Modal: 'title',
  OptionsDialog: 'title',
  PlayerModal: 'title',
  Sheet: 'label',
};
const partsOfViews: Readonly<Record<string, string>> = { AlertDialog: 'title', MenuPanel: 'title' };
const parts: Readonly<Record<string, string>> = { ...partsOfAll, ...partsOfViews };

/** Titles that are no words where the dialog is drawn. */
const titlesOf: Readonly<Record<string, readonly string[]>> = {
  'features/admin/first-run-dialog.tsx: titles[step]': ['Your videos', 'Who may come in', 'Ready'],
  'features/feed/controls/quadrant-menu.tsx: quadrantNames[quadrant]': ['Top right'],
  'features/feed/filter/filter-panel.tsx: aria-modal': ['Filter Content'],
  'features/performance/videos-section.tsx: video.title': ['Hue 000'],
  'features/profile/account-dialog.tsx: title': ['Change Password', 'Set Password'],
  'features/tag-management/tag-dialog.tsx: tag.name': ['Aurora'],
  'features/tag-management/tag-dialog.tsx: title': ['Create Tag', 'Edit Tag'],
  'features/upload/eula-dialog.tsx: eulaTitle': ['End-User License Agreement'],
  "features/video-dialogs/details-dialog.tsx: state.value?.title ?? 'Details'": ['Hue 000'],
  'features/video-tagging/video-tagging-screen.tsx: video.title': ['Hue 000'],
  'features/videos/video-player.tsx: named.title': ['Hue 000'],
  'features/videos/video-player.tsx: placed.title ?? placed.filename': ['A card'],
  // The parts of views themselves.
  'features/feed/controls/quadrant-submenus.tsx: aria-modal': [],
  'features/upload/upload-screen.tsx: title': [],
};

/** Dialogs on no list, with what is in their place. */
const elsewhere: Readonly<Record<string, string>> = {
  'features/feed/controls/quadrant-submenus.tsx: Audio, …': 'It is drawn as Subtitles are.',
  'features/feed/venue/venue-lock.tsx: Enter the PIN':
    'A venue is locked: the tests of both forms have journeys to it.',
  'features/profile/account-dialog.tsx: Set Password': 'Change Password has its fields and one more.',
  'features/upload/upload-screen.tsx: Channels': 'It is drawn as the alert of the agreement is.',
  'features/upload/upload-screen.tsx: Upload Videos': 'It is drawn as the alert of the agreement is.',
  'features/videos/video-player.tsx: A card': "It is drawn as 'Play in...' is.",
};

const notOnTvs: Readonly<Record<string, string>> = {
  'features/admin/first-run-dialog.tsx: Ready': 'The first run by remote crawls each of its steps.',
  'features/admin/first-run-dialog.tsx: Who may come in': 'The first run by remote crawls each of its steps.',
  'features/feed/controls/quadrant-submenus.tsx: Speed, …': 'A TV plays at one speed.',
  'features/profile/profile-screen.tsx: Add to Home Screen': 'It is of iOS.',
  'features/video-tagging/tag-panel.tsx: Tags': 'It is a panel there.',
  'shell/rare-notices.tsx: Use the TV layout?': 'It is asked where the layout is another one.',
};

const visited = 'The targets of the feed and its menus are looked at together.';
const notOnPhones: Readonly<Record<string, string>> = {
  'features/feed/controls/quadrant-menu.tsx: Top right': visited,
  'features/feed/controls/quadrant-submenus.tsx: Speed, …': visited,
  'features/feed/controls/quadrant-submenus.tsx: Subtitles, …': visited,
  'features/feed/filter/filter-panel.tsx: Filter Content': visited,
  'features/profile/profile-screen.tsx: Add to Home Screen': 'An iPhone has a journey of its own.',
  'features/video-tagging/tagging-keys.tsx: Shortcuts': 'A phone has no keys.',
  'features/video-tagging/video-tagging-screen.tsx: Hue 000': 'It plays from the panel.',
  'shell/rare-notices.tsx: Use the TV layout?': 'Arrows on a phone have a journey of their own.',
};

const waysOfSites = dialogSites.flatMap(({ stages }) => stages.flatMap(({ ways }) => ways));

for (const [form, ways, others] of [
  ['tv', [...waysOfSites, ...dialogsOfQuadrants], notOnTvs],
  ['phone', waysOfSites, notOnPhones],
] as const)
  test(`each dialog in the code of the views is visited in the form of a ${form}`, () => {
    const known = { ...elsewhere, ...others };
    const drawn = globSync('{features,shell}/**/*.tsx', { cwd: app }).flatMap(dialogsIn);
    expect(drawn.filter(({ title }) => title === null).map(({ place }) => place)).toEqual([]);
    const wanted = drawn.filter(({ place }) => !(place in known));
    const visits = ways.filter((way) => (way.form ?? form) === form);
    const words = new Set(drawn.map(({ title }) => title));
    const missing = wanted.filter(({ title }) => {
      const alike = wanted.filter((one) => one.title === title);
      return visits.filter((way) => leadsTo(way, title ?? '', words)).length < alike.length;
    });
    expect(missing.map(({ place }) => place)).toEqual([]);
    const places = drawn.map(({ place }) => place);
    expect(Object.keys(known).filter((place) => !places.includes(place))).toEqual([]);
  });

test('the parts that draw dialogs are known', () => {
  const drawing = globSync('ui/**/*.tsx', { cwd: app }).flatMap((file) =>
    elementsOf(file)
      .filter((element) => element.tagName.getText() === 'Modal' || attributeOf(element, 'aria-modal') !== null)
      .map((element) => ts.findAncestor(element, ts.isFunctionDeclaration)?.name?.text),
  );
  expect([...new Set(drawing)].sort()).toEqual(Object.keys(partsOfAll));
});

const app = join(projectFolder, 'src/app');

/** Stands for whatever is put into a title. */
const hole = '…';

interface Drawn {
  /** File and title. */
  readonly place: string;
  /** `null`: it is not known. */
  readonly title: string | null;
}

function dialogsIn(file: string): Drawn[] {
  return elementsOf(file).flatMap((element): Drawn[] => {
    const named = attributeOf(element, parts[element.tagName.getText()] ?? '');
    if (named === null && attributeOf(element, 'aria-modal') === null) return [];
    const key = `${file}: ${named === null ? 'aria-modal' : named.getText()}`;
    const titles = titlesOf[key] ?? (named && textsOf(named));
    return titles ? titles.map((title) => ({ place: `${file}: ${title}`, title })) : [{ place: key, title: null }];
  });
}

function elementsOf(file: string): ts.JsxOpeningLikeElement[] {
  const code = readFileSync(join(app, file), 'utf8');
  const found: ts.JsxOpeningLikeElement[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isJsxOpeningLikeElement(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

function attributeOf({ attributes }: ts.JsxOpeningLikeElement, wanted: string): ts.Node | null {
  for (const one of attributes.properties)
    if (ts.isJsxAttribute(one) && one.name.getText() === wanted && one.initializer)
      return ts.isJsxExpression(one.initializer) ? (one.initializer.expression ?? null) : one.initializer;
  return null;
}

function textsOf(node: ts.Node): readonly string[] | null {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => hole + literal.text).join('')];
  if (!ts.isConditionalExpression(node)) return null;
  const [one, other] = [textsOf(node.whenTrue), textsOf(node.whenFalse)];
  return one && other && [...one, ...other];
}

/** @param words titles that are no others with something put in */
function leadsTo({ name }: DialogWay, title: string, words: ReadonlySet<string | null>): boolean {
  if (name instanceof RegExp) return name.test(title);
  if (!title.includes(hole)) return name === title;
  const pattern = title.split(hole).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.+')}$`).test(name) && !words.has(name);
}
