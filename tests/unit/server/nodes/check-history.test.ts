import { describe, expect, test } from 'vitest';
import type { Violation } from '#tests/bench/nodes/check-history.ts';
import { checkHistory, measureHistory } from '#tests/bench/nodes/check-history.ts';
import type { Call, DatabaseEvent, FinalState, History, Outcome } from '#tests/bench/nodes/history.ts';

type Told = Partial<Pick<Call, 'node' | 'begin' | 'end' | 'heard' | 'outcome'>>;
type Facts = Omit<Call, 'node' | 'begin' | 'end' | 'heard' | 'outcome'> & Record<string, unknown>;

/** Calls one after the other, a second each, answered by node one. */
function callsOf(...list: readonly [Facts, Told?][]): Call[] {
  return list.map(([facts, told = {}], at) => {
    const usual = { node: 'one', begin: at * 1_000, end: at * 1_000 + 900, outcome: 'done' as Outcome };
    const call = { ...usual, ...facts, ...told } as Call;
    return { ...call, heard: told.heard ?? (Number.isFinite(call.end) ? call.end : call.begin + 100) };
  });
}

const unanswered: Told = { outcome: 'unknown', node: null, end: Number.POSITIVE_INFINITY };

interface Parts extends Partial<Omit<History, 'final' | 'uploads'>> {
  final?: Partial<FinalState>;
}

/** Of a site with the upload `f`, which has become the video `v`. */
function historyOf({ final = {}, ...parts }: Parts): History {
  return {
    calls: [],
    faults: [],
    processes: [],
    events: [],
    uploads: new Map([['f', { filename: 'f.mp4', sum: 's', tags: [] }]]),
    ...parts,
    final: {
      videos: [{ id: 'v', file: 'f', tags: [] }],
      removed: [],
      completed: new Map([['f', 'v']]),
      receiving: new Set(),
      objects: [{ file: 'f', sum: 's' }],
      sessions: new Set(),
      activeTags: new Set(['t', 'old', 'new']),
      activities: new Map(),
      activeJobs: [],
      ...final,
    },
  };
}

function accused(parts: Parts): Violation['rule'][] {
  return checkHistory(historyOf(parts)).map(({ rule }) => rule);
}

const put: Facts = { kind: 'link', video: 'v', tag: 't', isOn: true };
const take: Facts = { kind: 'link', video: 'v', tag: 't', isOn: false };
const read = (...tags: string[]): Facts => ({ kind: 'read-links', video: 'v', tags });
const tagged = { videos: [{ id: 'v', file: 'f', tags: ['t'] }] };

describe('tags of videos', () => {
  test.each<[string, Parts]>([
    ['is there at the end', { calls: callsOf([put]), final: tagged }],
    ['was taken off again', { calls: callsOf([put], [take]) }],
    ['was not answered, and is not there', { calls: callsOf([put, unanswered]) }],
    ['was not answered, and is there', { calls: callsOf([put, unanswered]), final: tagged }],
    [
      'was not answered, and comes after it was taken off',
      { calls: callsOf([put, unanswered], [take]), final: tagged },
    ],
    ['is taken off by a call that overlaps', { calls: callsOf([put], [take, { begin: 500 }]), final: tagged }],
    ['is read while it is given', { calls: callsOf([put], [read(), { begin: 500 }]), final: tagged }],
    [
      'is not there while the video is deleted',
      {
        calls: callsOf([put], [read()], [{ kind: 'delete', file: 'f' }, { begin: 1_500 }]),
        final: { videos: [], removed: tagged.videos, activities: new Map([['upload_removed f.mp4', 1]]) },
      },
    ],
  ])('nobody is accused of a tag that %s', (_, parts) => {
    expect(accused(parts)).toEqual([]);
  });

  test.each<[string, Parts]>([
    ['was acknowledged, and is lost', { calls: callsOf([put]) }],
    ['was acknowledged, and is not read', { calls: callsOf([put], [read()]), final: tagged }],
    ['was read, and was not given before', { calls: callsOf([read('t')], [put]), final: tagged }],
    ['was refused, and is there', { calls: callsOf([put, { outcome: 'refused' }]), final: tagged }],
    ['nobody has given', { final: tagged }],
    ['was given again after it was taken off', { calls: callsOf([put], [take], [put]) }],
  ])('a tag that %s is found', (_, parts) => {
    expect(accused(parts)).toEqual(['links']);
  });
});

describe('merges', () => {
  const given: Facts = { kind: 'link', video: 'v', tag: 'old', isOn: true };
  const merge: Facts = { kind: 'merge', tag: 'old', into: 'new' };
  const merged = {
    videos: [{ id: 'v', file: 'f', tags: ['new'] }],
    activeTags: new Set(['new']),
    activities: new Map([['tag_merged old', 1]]),
  };
  const unmerged = { videos: [{ id: 'v', file: 'f', tags: ['old'] }] };

  test.each<[string, Parts]>([
    ['was done', { calls: callsOf([given], [merge]), final: merged }],
    ['was not answered, and was done', { calls: callsOf([given], [merge, unanswered]), final: merged }],
    ['was not answered, and was not done', { calls: callsOf([given], [merge, unanswered]), final: unmerged }],
    [
      'meets a removed video',
      {
        calls: callsOf([given], [{ kind: 'delete', file: 'f' }], [merge]),
        final: {
          ...merged,
          videos: [],
          removed: unmerged.videos,
          activities: new Map([...merged.activities, ['upload_removed f.mp4', 1]]),
        },
      },
    ],
  ])('nobody is accused of one that %s', (_, parts) => {
    expect(accused(parts)).toEqual([]);
  });

  test.each<[string, Parts]>([
    ['is lost', { calls: callsOf([given], [merge]), final: unmerged }],
    [
      'was done twice',
      {
        calls: callsOf([given], [merge, unanswered], [merge]),
        final: { ...merged, activities: new Map([['tag_merged old', 2]]) },
      },
    ],
    [
      'has left out a video',
      {
        calls: callsOf([given], [merge]),
        final: { ...merged, videos: [{ id: 'v', file: 'f', tags: [] }] },
      },
    ],
    [
      'has reached a video that did not have the tag',
      {
        calls: callsOf([{ ...given, video: 'w' }], [merge]),
        final: {
          ...merged,
          videos: [
            { id: 'v', file: 'f', tags: ['new'] },
            { id: 'w', file: null, tags: ['new'] },
          ],
        },
      },
    ],
  ])('one that %s is found', (_, parts) => {
    expect(new Set(accused(parts))).toEqual(new Set(['merges']));
  });
});

const completion: Facts = { kind: 'complete', file: 'f', video: 'v' };
const removal: Facts = { kind: 'delete', file: 'f' };
const restoring: Facts = { kind: 'restore', file: 'f' };
const gone = { videos: [], removed: [{ id: 'v', file: 'f', tags: [] }] };
const counts = (removed: number, restored: number) => ({
  activities: new Map([
    ['upload_removed f.mp4', removed],
    ['upload_restored f.mp4', restored],
  ]),
});
const nothing = { videos: [], completed: new Map<string, string>(), objects: [] };

describe('uploads', () => {
  test.each<[string, Parts]>([
    ['became a video', { calls: callsOf([completion]) }],
    [
      'was not answered, and is no video',
      { calls: callsOf([{ ...completion, video: null }, unanswered]), final: nothing },
    ],
    ['was removed and brought back', { calls: callsOf([completion], [removal], [restoring]), final: counts(1, 1) }],
    [
      'was removed without an answer',
      {
        calls: callsOf([completion], [removal, unanswered]),
        final: { ...gone, ...counts(1, 0) },
      },
    ],
    [
      'was removed twice, once without an answer',
      {
        calls: callsOf([completion], [removal, unanswered], [restoring], [removal]),
        final: { ...gone, ...counts(2, 1) },
      },
    ],
  ])('nobody is accused of one that %s', (_, parts) => {
    expect(accused(parts)).toEqual([]);
  });

  test.each<[string, Parts]>([
    ['was acknowledged, and is lost', { calls: callsOf([completion]), final: { ...nothing } }],
    ['was removed, and is there', { calls: callsOf([completion], [removal]), final: counts(0, 0) }],
    ['was removed twice by one call', { calls: callsOf([completion], [removal]), final: { ...gone, ...counts(2, 1) } }],
    ['was brought back by nobody', { calls: callsOf([completion], [removal]), final: counts(1, 1) }],
    [
      'has become two videos',
      {
        calls: callsOf([completion]),
        final: {
          videos: [
            { id: 'v', file: 'f', tags: [] },
            { id: 'v', file: 'f', tags: [] },
          ],
        },
      },
    ],
  ])('one that %s is found', (_, parts) => {
    expect(new Set(accused(parts))).toEqual(new Set(['videos']));
  });

  test('equal bytes that have become two videos are found', () => {
    const sent = { filename: 'f.mp4', sum: 's', tags: [] };
    const history = historyOf({
      final: {
        videos: ['v', 'w'].map((id, at) => ({ id, file: ['f', 'g'][at] ?? '', tags: [] })),
        objects: ['f', 'g'].map((file) => ({ file, sum: 's' })),
      },
    });
    const uploads = new Map([
      ['f', sent],
      ['g', { ...sent, filename: 'g.mp4' }],
    ]);
    expect(checkHistory({ ...history, uploads })).toEqual([
      { rule: 'videos', what: 'equal bytes have become 2 videos' },
    ]);
    expect(checkHistory({ ...history, uploads: uploads.set('g', { ...sent, filename: 'g.mp4', sum: 'o' }) })).toEqual([
      { rule: 'objects', what: 'the object of upload g has other bytes than were sent' },
    ]);
  });

  test.each<[string, Partial<FinalState>, number]>([
    ['one object for each', {}, 0],
    [
      'an object of one that is still coming',
      {
        objects: [
          { file: 'f', sum: 's' },
          { file: 'g', sum: 'o' },
        ],
        receiving: new Set(['g']),
      },
      0,
    ],
    ['no object', { objects: [] }, 1],
    [
      'two objects',
      {
        objects: [
          { file: 'f', sum: 's' },
          { file: 'f', sum: 's' },
        ],
      },
      1,
    ],
    [
      'an object that belongs to nothing',
      {
        objects: [
          { file: 'f', sum: 's' },
          { file: 'g', sum: 'o' },
        ],
      },
      1,
    ],
    ['an object with other bytes', { objects: [{ file: 'f', sum: 'o' }] }, 1],
  ])('of %s, %o, so many are accused: %i', (_, final, count) => {
    expect(accused({ final })).toEqual(Array.from({ length: count }, () => 'objects'));
  });

  const sent = (offset: number): Facts => ({ kind: 'send', file: 'f', offset });
  const offset = (at: number): Facts => ({ kind: 'read-offset', file: 'f', offset: at });
  test.each<[string, Call[], number]>([
    ['as acknowledged', callsOf([sent(10)], [offset(10)], [sent(20)], [offset(25)]), 0],
    ['below what was sent without an answer', callsOf([sent(10)], [sent(20), unanswered], [offset(10)]), 0],
    ['asked for while bytes are sent', callsOf([sent(10)], [offset(0), { begin: 500 }]), 0],
    ['below what was acknowledged', callsOf([sent(10)], [offset(9)]), 1],
    ['below what was acknowledged, told by a send', callsOf([sent(10)], [sent(9)]), 1],
  ])('of an offset %s, so many are accused: %o', (_, calls, count) => {
    expect(accused({ calls })).toEqual(Array.from({ length: count }, () => 'offsets'));
  });
});

const pick = (video: string | null = 'v'): Facts => ({ kind: 'pick', video });
const away = { ...gone, ...counts(1, 0) };
const process = (node: string, begin: number) => ({
  node,
  name: node,
  begin,
  end: Number.POSITIVE_INFINITY,
  hasFailed: false,
});

describe('picks of a deleted video', () => {
  const late: Told = { node: 'two', begin: 5_000, end: 5_100 };
  test.each<[string, Parts]>([
    ['within two seconds on another node', { calls: callsOf([removal], [pick(), { node: 'two' }]), final: away }],
    ['while it is deleted', { calls: callsOf([removal], [pick(), { begin: 500 }]), final: away }],
    [
      'after a removal without an answer',
      { calls: callsOf([removal, unanswered], [pick(), late]), final: counts(0, 0) },
    ],
    [
      'after it may have come back',
      { calls: callsOf([removal], [restoring, unanswered], [pick(), late]), final: away },
    ],
    [
      'by a node that was frozen',
      {
        calls: callsOf([removal], [pick(), late]),
        faults: [{ node: 'two', kind: 'freeze', begin: 1_000, end: 4_000 }],
        final: away,
      },
    ],
    [
      'by a node that is slow',
      {
        calls: callsOf([removal], [pick(null), { node: 'two', end: 4_500 }], [pick(), late]),
        final: away,
      },
    ],
    [
      'while a call waits long for an answer',
      {
        calls: callsOf([removal], [pick(null), { ...unanswered, heard: 6_000 }], [pick(), late]),
        final: away,
      },
    ],
    [
      'by the node that has deleted it while its database goes',
      {
        calls: callsOf([removal], [pick()]),
        faults: [{ node: 'one', kind: 'cut-database', begin: 800, end: 4_000 }],
        final: away,
      },
    ],
  ])('nobody is accused of one %s', (_, parts) => {
    expect(accused(parts)).toEqual([]);
  });

  const other = { filename: 'g.mp4', sum: 'o', tags: [] };
  test.each<[string, Parts]>([
    ['more than two seconds later by a well node', { calls: callsOf([removal], [pick(), late]), final: away }],
    ['by the node that has deleted it', { calls: callsOf([removal], [pick()]), final: away }],
    [
      'by a frozen node that began afterwards',
      {
        calls: callsOf([removal], [pick(), { node: 'two', begin: 2_000, end: 2_100 }]),
        processes: [process('two', 1_500)],
        faults: [{ node: 'two', kind: 'freeze', begin: 1_000, end: 1_400 }],
        final: away,
      },
    ],
  ])('one %s is found', (_, parts) => {
    expect(accused(parts)).toEqual(['picks']);
  });

  test('one by a node that has given a video which came later is found, however the node is', () => {
    const calls = callsOf(
      [removal],
      [{ kind: 'complete', file: 'g', video: 'w' }],
      [pick('w'), { node: 'two', begin: 1_950, end: 1_960 }],
      [pick(), { node: 'two', begin: 1_970, end: 1_980 }],
    );
    const history = historyOf({
      calls,
      faults: [{ node: 'two', kind: 'freeze', begin: 0, end: 1_000 }],
      final: {
        ...away,
        videos: [{ id: 'w', file: 'g', tags: [] }],
        objects: ['f', 'g'].map((file) => ({ file, sum: file === 'f' ? 's' : 'o' })),
      },
    });
    const uploads = new Map([...history.uploads, ['g', other]]);
    expect(checkHistory({ ...history, uploads }).map(({ rule }) => rule)).toEqual(['picks']);
    expect(checkHistory({ ...history, uploads, calls: calls.toSpliced(2, 1) })).toEqual([]);
  });

  test('the oldest one that was allowed is measured', () => {
    const history = historyOf({ calls: callsOf([removal], [pick(), { node: 'two' }]), final: away });
    expect(measureHistory(history)).toMatchObject({ calls: 2, oldestPick: 100 });
  });
});

describe('sessions', () => {
  const [begin, end]: Facts[] = [
    { kind: 'sign-in', session: 'x' },
    { kind: 'sign-out', session: 'x' },
  ];
  const look = (isAccepted: boolean): Facts => ({ kind: 'read-session', session: 'x', isAccepted });
  const known = { sessions: new Set(['x']) };
  const late: Told = { node: 'two', begin: 10_000, end: 10_100 };
  test.each<[string, Call[], Partial<FinalState>, number]>([
    ['that is accepted', callsOf([begin as Facts], [look(true)]), known, 0],
    ['that is refused after its end', callsOf([begin as Facts], [end as Facts], [look(false)]), {}, 0],
    [
      'that is refused after an end without an answer',
      callsOf([begin as Facts], [end as Facts, unanswered], [look(false)]),
      {},
      0,
    ],
    [
      'that another node accepts shortly after',
      callsOf([begin as Facts], [end as Facts], [look(true), { node: 'two' }]),
      {},
      0,
    ],
    ['that its node accepts after its end', callsOf([begin as Facts], [end as Facts], [look(true)]), {}, 1],
    ['that a node accepts long after its end', callsOf([begin as Facts], [end as Facts], [look(true), late]), {}, 1],
    ['that is not known', callsOf([begin as Facts], [look(false)]), known, 1],
    ['that is lost', callsOf([begin as Facts]), {}, 1],
    ['that is left', callsOf([begin as Facts], [end as Facts]), known, 1],
  ])('of one %s, so many are accused', (_, calls, final, count) => {
    expect(accused({ calls, final })).toEqual(Array.from({ length: count }, () => 'sessions'));
  });

  test('one that a node accepts for long is excused while its database is away', () => {
    const calls = callsOf([begin as Facts], [end as Facts], [look(true), late]);
    expect(accused({ calls, faults: [{ node: 'two', kind: 'cut-database', begin: 3_000, end: 12_000 }] })).toEqual([]);
  });
});

describe('jobs, leases and processes', () => {
  const event = (number: number, kind: DatabaseEvent['kind'], name: string, at = number): DatabaseEvent => {
    return { number, at, kind, process: name, subject: kind === 'job-end' ? 'j' : 'sweeps' };
  };
  test.each<[string, DatabaseEvent[], string[]]>([
    ['a job that ends once', [event(1, 'job-end', 'one')], []],
    ['a job that ends on two nodes', [event(1, 'job-end', 'one'), event(2, 'job-end', 'two')], ['jobs']],
    ['work under a lease', [event(1, 'grant', 'one'), event(2, 'act', 'one')], []],
    [
      'work that ends after its lease',
      [event(1, 'grant', 'one'), event(2, 'grant', 'two'), event(3, 'act', 'one', 20_000)],
      [],
    ],
    ['work without a lease', [event(1, 'grant', 'one'), event(2, 'act', 'two')], ['leases']],
    ['work before a lease', [event(1, 'act', 'one'), event(2, 'grant', 'one')], ['leases']],
    ['work long after a lease', [event(1, 'grant', 'one'), event(2, 'act', 'one', 90_000)], ['leases']],
  ])('of %s', (_, events, rules) => {
    expect(accused({ events })).toEqual(rules);
  });

  test('work after a lease is excused for the time in which its node was frozen', () => {
    const events = [event(1, 'grant', 'one'), event(2, 'act', 'one', 90_000)];
    const faults = [{ node: 'one', kind: 'freeze' as const, begin: 10_000, end: 40_000 }];
    expect(accused({ events, faults, processes: [process('one', 0)] })).toEqual([]);
  });

  test('a job that does not end, and a process that ends by itself, are found', () => {
    expect(accused({ final: { activeJobs: ['j'] } })).toEqual(['jobs']);
    expect(accused({ processes: [{ ...process('one', 0), hasFailed: true }] })).toEqual(['processes']);
  });
});
