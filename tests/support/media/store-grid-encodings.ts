import { readFile } from 'node:fs/promises';
import { readEnv } from '#server/env.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import { derivedPath, storeEncoding } from './stored-encodings.ts';

/**
 * A program of its own, for a product that is stopped: gives each video that it knows the same smaller encoding.
 * Arguments: its data folder and the file. It writes where that lies now.
 */
const [dataDir = '', encoding = ''] = process.argv.slice(2);
const env = readEnv({ PATH: process.env.PATH, DATA_DIR: dataDir, FFMPEG_PATH: '/none' });
const services = await createServices(env, createLog('fatal'), '1.2.3');
const bytes = await readFile(encoding);
const videos = await services.database.reader.selectFrom('videos').select('path').execute();
let content = '';
for (const { path } of videos) content = await storeEncoding({ services }, path, 'grid', bytes);
process.stdout.write(derivedPath({ services }, content, '.mp4'));
await services.close();
