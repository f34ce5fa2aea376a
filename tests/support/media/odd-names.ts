/** Names of files that programs stumble over, and that every file system here can hold. */
export const oddNames = [
  'emoji 🎬.mp4',
  'right\u202eto left.mp4',
  'caf\u00e9.mp4',
  'cafe\u0301.mp4',
  `${'n'.repeat(251)}.mp4`,
  '<img src=x onerror=alert(1)>.mp4',
  `quote"'.mp4`,
  '%2e.mp4',
  '#t=10.mp4',
  '-vf.mp4',
  'a:b.mp4',
  '%03d.mp4',
  'CON.mp4',
  'dot..mp4',
  'space .mp4',
];
