import type { ExportedTag } from './transfer-line.ts';

/** Text in pieces: one object, whose `tags` hold the paths of their videos. */
export async function* writeJson(tags: AsyncIterable<ExportedTag>): AsyncGenerator<string> {
  yield '{"tags":[';
  let tagSeparator = '\n';
  for await (const { videos, ...tag } of tags) {
    yield `${tagSeparator}${JSON.stringify(tag).slice(0, -1)},"videos":[`;
    tagSeparator = ',\n';
    let separator = '';
    for await (const paths of videos) {
      if (paths.length === 0) continue;
      yield `${separator}\n${paths.map((path) => JSON.stringify(path)).join(',\n')}`;
      separator = ',';
    }
    yield ']}';
  }
  yield '\n]}\n';
}
