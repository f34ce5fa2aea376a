/*
 * What a program would try that was taken over by the video it reads. It runs in the place of ffmpeg, is given a target
 * for each attempt as JSON, and prints what became of each: 'done', or the code of the error.
 */
const fs = require('node:fs');
const net = require('node:net');

const targets = JSON.parse(process.argv.at(-1));
const outcomes = {};

const attempts = {
  'read the input': () => fs.readFileSync('/dev/fd/4'),
  'write a file of its own': () => {
    fs.mkdirSync('own');
    fs.writeFileSync('own/file', '');
    fs.renameSync('own/file', 'own/other');
    fs.rmSync('own', { recursive: true });
  },
  'change the input': () => fs.openSync('/dev/fd/4', 'r+'),
  'shorten the input': () => fs.truncateSync('/dev/fd/4', 0),
  'read the database': () => fs.readFileSync(targets.database),
  'change the database': () => fs.openSync(targets.database, 'r+'),
  'read the passwords of the system': () => fs.readFileSync('/etc/shadow'),
  'list the library': () => fs.readdirSync(targets.library),
  'read another video': () => fs.readFileSync(targets.otherVideo),
  'read the secrets of the server': () => fs.readFileSync(`/proc/${targets.server}/environ`),
  'delete a video': () => fs.unlinkSync(targets.deleted),
  'rename a video': () => fs.renameSync(targets.renamed, `${targets.renamed}-2`),
  'link a video': () => fs.linkSync(targets.otherVideo, `${targets.otherVideo}-2`),
  'shorten a video': () => fs.truncateSync(targets.truncated, 1),
  'close a video to its owner': () => fs.chmodSync(targets.otherVideo, 0o644),
  'date a video back': () => fs.utimesSync(targets.otherVideo, 1, 1),
  'put a file into the library': () => fs.openSync(`${targets.library}/new.mp4`, 'w'),
  'signal the server': () => process.kill(targets.server, 0),
};

const connections = {
  'connect by TCP': { host: '127.0.0.1', port: targets.port },
  'connect to PostgreSQL by its socket': { path: targets.socket },
  'connect to an abstract socket': { path: targets.abstractSocket },
};

async function run() {
  for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = outcomeOf(attempt);
  for (const [name, address] of Object.entries(connections)) outcomes[name] = await outcomeOfConnecting(address);
  process.stdout.write(JSON.stringify({ user: process.getuid(), outcomes }), () => process.exit(0));
}

function outcomeOf(attempt) {
  try {
    attempt();
    return 'done';
  } catch (error) {
    return error.code;
  }
}

function outcomeOfConnecting(address) {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve('done');
    });
    socket.once('error', (error) => resolve(error.code));
  });
}

run();
