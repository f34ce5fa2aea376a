// The server restarts on change on port 4400; the app is served with hot reload on port 4401, which passes calls on to
// it.
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
