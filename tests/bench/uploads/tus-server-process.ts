import type { AddressInfo } from 'node:net';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/* Argument: the folder of its files. It sends its port to its parent. */
const server = new Server({ path: '/files', datastore: new FileStore({ directory: process.argv[2] ?? '' }) });
const listening = server.listen({ host: '127.0.0.1', port: 0 });
listening.once('listening', () => process.send?.((listening.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
