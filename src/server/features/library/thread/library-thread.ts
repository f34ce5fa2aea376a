import { parentPort, workerData } from 'node:worker_threads';
import type { LibraryThreadData } from './library-messages.ts';
import { runLibrary } from './library-work.ts';

/*
 * The library's thread: it walks, compares, reads and writes by itself, with a connection to the database of its own,
 * so that none of it stands in the way of a viewer.
 */
if (parentPort !== null) runLibrary(parentPort, workerData as LibraryThreadData);
