// The arrows of src/README.md as rules. A rule's name is the sentence that it keeps.
const room = (...names) => `^src/(${names.join('|')})/`;
const types = { dependencyTypesNot: ['type-only'] };

/** App floors from the lowest to the highest: each imports only what stands to its left. */
const appFloors = ['styles', 'platform|playback|transfer', 'ui', 'state', 'start', 'features', 'shell'];
const appFloorRules = appFloors.slice(0, -1).map((floor, level) => ({
  from: { path: `^src/app/(${floor})/` },
  to: { path: `^src/app/((${appFloors.slice(level + 1).join('|')})/|[^/]+$)` },
}));

/** Server floors, likewise. */
const serverFloors = [
  '(env|env-variables|env-checks|clock|ids|log|folders|repeat|free-memory)\\.ts$',
  '((database|http|limits|tls|storage|media|jobs|metrics|nodes)/|(secrets|live-settings|settings-repository)\\.ts$)',
  '(id-sets|backup)/',
  'foundations\\.ts$',
  'features/',
  'services/(account|library|media|metric)-services\\.ts$',
  'services/services\\.ts$',
  'app\\.ts$',
  '(main\\.ts$|commands/)',
];
const serverFloorRules = serverFloors.slice(0, -1).map((floor, level) => ({
  from: { path: `^src/server/${floor}` },
  to: { path: `^src/server/(${serverFloors.slice(level + 1).join('|')})` },
}));

/** Which server feature may use which others. A feature that is not named here uses none. */
const serverFeatures = {
  activity: [],
  users: [],
  auth: ['activity', 'reports', 'users', 'watched'],
  plans: ['activity', 'users'],
  gate: ['users'],
  admin: ['activity', 'uploads', 'users', 'videos'],
  tags: ['activity', 'search'],
  'tag-transfer': ['activity', 'tags', 'videos'],
  videos: ['activity', 'tags'],
  reports: ['activity', 'videos'],
  library: ['activity', 'reports', 'search', 'tags', 'videos'],
  streaming: ['videos'],
  encodings: ['activity', 'library', 'videos'],
  subtitles: ['browse', 'videos'],
  feed: ['tags', 'users', 'videos', 'watched'],
  search: [],
  browse: ['search', 'tags', 'users', 'videos'],
  watched: ['browse', 'tags', 'users', 'videos'],
  tagging: ['browse', 'tags', 'videos'],
  uploads: ['activity', 'browse', 'library', 'search', 'tagging', 'tags', 'users', 'videos'],
  performance: [],
  site: ['activity', 'auth', 'encodings', 'gate', 'library', 'users', 'videos'],
};
const serverFeatureRules = Object.entries(serverFeatures).map(([feature, uses]) => ({
  from: { path: `^src/server/features/${feature}/` },
  to: { path: '^src/server/features/', pathNot: `^src/server/features/(${[feature, ...uses].join('|')})/` },
}));

const each = (name, comment, rules) => rules.map((rule) => ({ name, comment, severity: 'error', ...rule }));

module.exports = {
  forbidden: [
    ...each('no-circles', 'Two files that need each other are one file or need a third.', [
      { from: {}, to: { circular: true } },
    ]),
    ...each('contract-stands-alone', 'Both sides agree on the contract, so it knows neither of them.', [
      { from: { path: room('contract') }, to: { path: '^(src|sw|tests)/', pathNot: room('contract') } },
      { from: { path: room('contract') }, to: { dependencyTypes: ['core'] } },
      { from: { path: room('contract') }, to: { path: 'node_modules/', pathNot: 'node_modules/zod/' } },
    ]),
    ...each('entities-are-types-in-the-browser', 'A schema in the browser brings all of zod with it.', [
      { from: { path: ['^src/(app|device)/', '^sw/'] }, to: { path: '^src/contract/entities/', ...types } },
      {
        from: { path: ['^src/(app|device)/', '^sw/', '^src/contract/(?!entities/)'] },
        to: { path: 'node_modules/zod/', ...types },
      },
      { from: { path: '^src/contract/(?!entities/)' }, to: { path: '^src/contract/entities/', ...types } },
    ]),
    ...each('worker-shares-only-device-and-contract', 'Page and worker meet on the device, nowhere else.', [
      { from: { path: '^sw/' }, to: { path: '^(src|tests)/', pathNot: room('device', 'contract') } },
      { from: { path: room('device') }, to: { path: '^(src|sw|tests)/', pathNot: room('device', 'contract') } },
    ]),
    ...each(
      'app-never-touches-server',
      'The browser reaches the server by calls alone, and the server knows no browser.',
      [
        { from: { path: room('app') }, to: { path: ['^src/(server|scripts)/', '^sw/'] } },
        { from: { path: room('app') }, to: { dependencyTypes: ['core'] } },
        { from: { path: room('server') }, to: { path: ['^src/(app|device|scripts)/', '^sw/'] } },
      ],
    ),
    ...each(
      'features-do-not-know-each-other',
      'App features meet through state; server features by the table in this file.',
      [
        {
          from: { path: '^src/app/features/([^/]+)/' },
          to: { path: '^src/app/features/', pathNot: '^src/app/features/$1/' },
        },
        ...serverFeatureRules,
      ],
    ),
    ...each('floors-import-to-the-left', 'A lower floor never knows the ones that are built on it.', [
      ...appFloorRules,
      ...serverFloorRules,
    ]),
    ...each('routes-only-from-app', 'Routes are registered in one place, by name.', [
      { from: { pathNot: '^src/server/app\\.ts$' }, to: { path: '^src/server/features/.*-routes\\.ts$' } },
    ]),
    ...each('sql-only-in-repositories', 'Whoever looks for a query looks into the repositories.', [
      {
        from: {
          path: room('server'),
          pathNot: ['-repository\\.ts$', '^src/server/database/', '^src/server/secrets\\.ts$'],
        },
        to: { path: ['node_modules/(kysely|pg|better-sqlite3)/'], ...types },
      },
    ]),
    ...each('nothing-imports-tests', 'The product does not know how it is proven.', [
      { from: { path: ['^src/', '^sw/'] }, to: { path: '^tests/' } },
    ]),
    ...each('nothing-unresolved', 'An import that leads nowhere hides every rule behind it.', [
      { from: {}, to: { couldNotResolve: true } },
    ]),
    ...each('no-orphans', 'A file that nothing uses is taken out; the contract is whole from the start.', [
      {
        from: {
          orphan: true,
          path: ['^src/', '^sw/'],
          pathNot: ['\\.(json|md|css)$', '\\.d\\.ts$', '^src/(scripts|contract)/'],
        },
        to: {},
      },
    ]),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.css$|^virtual:' },
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
