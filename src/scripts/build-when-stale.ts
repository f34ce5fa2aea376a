// Builds the app, unless `.build/app` was built from the current sources.
import { readBuildStamp, readSourceStamp } from './build-stamp.ts';

if ((await readBuildStamp()) !== (await readSourceStamp())) await import('./build.ts');
