// Builds the app unless what stands in .build/app was made from these very sources.
import { readBuildStamp, readSourceStamp } from './build-stamp.ts';

if ((await readBuildStamp()) !== (await readSourceStamp())) await import('./build.ts');
