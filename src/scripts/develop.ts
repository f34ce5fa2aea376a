// Runs the server on port 4400 and restarts it when its files change. Serves the app with hot reload on port 4401,
// which forwards calls to the server.
import { spawn } from 'node:child_process';
import { createServer } from 'vite';
import { projectFolder } from './build-stamp.ts';

const server = spawn(process.execPath, ['--watch', 'src/server/main.ts'], { cwd: projectFolder, stdio: 'inherit' });
const app = await createServer({ root: projectFolder });
await app.listen();
app.printUrls();

const stop = () => {
  server.kill('SIGTERM');
  void app.close().then(() => process.exit(0));
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
server.on('exit', (code) => process.exit(code ?? 1));
