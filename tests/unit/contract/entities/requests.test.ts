import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  deviceApprovalSchema,
  eulaAcceptanceSchema,
  passwordChangeSchema,
  refreshSchema,
  registrationSchema,
  signInSchema,
  sitePasswordSchema,
} from '#contract/entities/account.ts';
import { configUpdateSchema, pickQuerySchema, qualityQuestionSchema } from '#contract/entities/feed.ts';
import { performanceQuerySchema, performanceReportSchema } from '#contract/entities/performance.ts';
import { tagCreationSchema, tagListQuerySchema, tagUpdateSchema } from '#contract/entities/tag.ts';
import { tagAssignmentSchema, taggingQuerySchema, videosByTagsQuerySchema } from '#contract/entities/tagging.ts';
import { uploadCompletionSchema, uploadStartSchema } from '#contract/entities/upload.ts';
import {
  blocklistUpdateSchema,
  profileUpdateSchema,
  subscriptionUpdateSchema,
  upgradeSchema,
  userListQuerySchema,
} from '#contract/entities/user.ts';
import { streamQuerySchema } from '#contract/entities/video.ts';

const ids = (count: number) => Array.from({ length: count }, (_, place) => `id-${place}`);
const file = { filename: 'north-pier.mp4', file_size: 1_000, mime_type: 'video/mp4' };
const sample = {
  timestamp: '2026-11-20T12:00:00.000Z',
  dropped_frames: 1,
  total_frames: 30,
  buffer_level_seconds: 4.5,
  stall_events: 0,
  quality_adjustments: 0,
};

describe('registration', () => {
  const account = { username: 'mara', email: 'mara@example.com', password: 'north pier' };

  test('is trimmed, but for the password', () => {
    expect(
      registrationSchema.parse({
        username: ' mara ',
        email: ' mara@example.com ',
        password: ' north pier ',
        display_name: ' Mara ',
      }),
    ).toEqual({
      ...account,
      password: ' north pier ',
      display_name: 'Mara',
    });
  });

  test('ignores what nobody may choose for themselves', () => {
    expect(registrationSchema.parse({ ...account, subscription_tier: 'admin', id: '1' })).toEqual(account);
  });

  test('says the words of the form for what is missing', () => {
    expect(problemsOf(registrationSchema, {})).toEqual({
      username: 'Username is required',
      email: 'Email is required',
      password: 'Password is required',
    });
  });

  test('says the words of the form for what is wrong', () => {
    expect(problemsOf(registrationSchema, { username: 'ab', email: 'mara', password: '1234567' })).toEqual({
      username: 'Username must be at least 3 characters',
      email: 'Please enter a valid email address',
      password: 'Password must be at least 8 characters',
    });
  });

  test('refuses what is no text', () => {
    expect(problemsOf(registrationSchema, { ...account, username: 12 })).toEqual({ username: 'This must be text' });
    expect(problemsOf(registrationSchema, { ...account, username: null })).toEqual({ username: 'This must be text' });
    expect(problemsOf(registrationSchema, { ...account, display_name: ['Mara'] })).toEqual({
      display_name: 'This must be text',
    });
  });
});

describe('signing in', () => {
  test('is for a day unless it is to be remembered', () => {
    expect(signInSchema.parse({ identifier: ' mara ', password: 'x' })).toEqual({
      identifier: 'mara',
      password: 'x',
      rememberMe: false,
    });
  });

  test('needs both fields', () => {
    expect(problemsOf(signInSchema, { identifier: ' ' })).toEqual({
      identifier: 'Username or email is required',
      password: 'Password is required',
    });
  });

  test('takes true or false for remembering, and no words', () => {
    expect(problemsOf(signInSchema, { identifier: 'mara', password: 'x', rememberMe: 'yes' })).toHaveProperty(
      'rememberMe',
    );
  });
});

test('a site password is compared as it was typed', () => {
  expect(sitePasswordSchema.parse({ password: ' open sesame ' })).toEqual({ password: ' open sesame ' });
  expect(problemsOf(sitePasswordSchema, {})).toEqual({ password: 'Password is required' });
  expect(problemsOf(sitePasswordSchema, { password: ['open sesame'] })).toEqual({ password: 'This must be text' });
});

test('a changed password obeys the rule for new ones, and the present one need not', () => {
  expect(problemsOf(passwordChangeSchema, { current_password: 'old', new_password: 'short' })).toEqual({
    new_password: 'Password must be at least 8 characters',
  });
});

test('a refresh needs its token', () => {
  expect(problemsOf(refreshSchema, { refresh_token: '' })).toEqual({ refresh_token: 'A refresh token is needed' });
});

test('the EULA is accepted in the version that is named, or in the present one', () => {
  expect(eulaAcceptanceSchema.parse({})).toEqual({});
  expect(eulaAcceptanceSchema.parse({ version: '1.0' })).toEqual({ version: '1.0' });
  expect(problemsOf(eulaAcceptanceSchema, { version: 1 })).toHaveProperty('version');
});

test('a code of a TV arrives as it was meant', () => {
  expect(deviceApprovalSchema.parse({ user_code: ' wdjb-mjht' })).toEqual({ user_code: 'WDJBMJHT' });
  expect(problemsOf(deviceApprovalSchema, { user_code: 'AEIOUAEI' })).toEqual({
    user_code: 'Enter the 8 letters that the TV shows',
  });
});

describe('a pick', () => {
  test('without anything draws from all', () => {
    expect(pickQuerySchema.parse({})).toEqual({ tag_ids: [], blocked_tag_ids: [], filter_mode: 'OR', exclude: [] });
  });

  test('takes ids joined by commas, each once', () => {
    expect(
      pickQuerySchema.parse({
        tag_ids: 'a,b,,a',
        blocked_tag_ids: '',
        exclude: 'v1,v2',
        filter_mode: 'AND',
        width: '640',
        colour: 'blue',
      }),
    ).toEqual({
      tag_ids: ['a', 'b'],
      blocked_tag_ids: [],
      exclude: ['v1', 'v2'],
      filter_mode: 'AND',
      width: 640,
    });
  });

  test('takes 200 tags and 64 exclusions, and not one more', () => {
    expect(
      pickQuerySchema.safeParse({ tag_ids: ids(200).join(), exclude: ids(64).join(), blocked_tag_ids: ids(500).join() })
        .success,
    ).toBe(true);
    expect(
      problemsOf(pickQuerySchema, {
        tag_ids: ids(201).join(),
        exclude: ids(65).join(),
        blocked_tag_ids: ids(501).join(),
      }),
    ).toEqual({
      tag_ids: 'A filter can hold at most 200 channels',
      exclude: 'At most 64 videos can be excluded',
      blocked_tag_ids: 'At most 500 channels can be blocked',
    });
  });

  test('clamps a width that no screen has', () => {
    expect(pickQuerySchema.parse({ width: '0' }).width).toBe(1);
    expect(pickQuerySchema.parse({ width: '99999999999999999999' }).width).toBe(16_384);
  });

  test('refuses another mode, a width in words and a parameter that comes twice', () => {
    expect(problemsOf(pickQuerySchema, { filter_mode: 'or' })).toEqual({
      filter_mode: "The filter mode is 'OR' or 'AND'",
    });
    expect(problemsOf(pickQuerySchema, { width: 'wide' })).toEqual({ width: 'A whole number is needed' });
    expect(problemsOf(pickQuerySchema, { tag_ids: ['a', 'b'] })).toHaveProperty('tag_ids');
  });
});

describe('a page', () => {
  test.each([
    [{}, 1, 20],
    [{ page: '3', limit: '50' }, 3, 50],
    [{ page: 3, limit: 50 }, 3, 50],
    [{ page: '0', limit: '0' }, 1, 1],
    [{ page: '-7', limit: '1000000000' }, 1, 100],
    [{ page: '9'.repeat(400) }, 1_000_000_000, 20],
  ])('asked for by %j is page %d with %d rows', (asked, page, limit) => {
    expect(videosByTagsQuerySchema.parse(asked)).toMatchObject({ page, limit });
  });

  test.each([{ page: 'one' }, { page: '1.5' }, { page: '' }, { page: ['1', '2'] }, { page: Number.NaN }])(
    'asked for by %j is refused',
    (asked) => {
      expect(problemsOf(videosByTagsQuerySchema, asked)).toEqual({ page: 'A whole number is needed' });
    },
  );

  test('of tagging has 12 rows, of tags 100, unless asked otherwise', () => {
    expect(taggingQuerySchema.parse({}).limit).toBe(12);
    expect(tagListQuerySchema.parse({}).limit).toBe(100);
    expect(userListQuerySchema.parse({}).limit).toBe(20);
  });
});

describe('a list of tags', () => {
  test('is by name, ascending, active ones only, unless asked otherwise', () => {
    expect(tagListQuerySchema.parse({})).toEqual({
      active: true,
      sort_by: 'name',
      sort_order: 'asc',
      page: 1,
      limit: 100,
      ids: [],
    });
    expect(
      tagListQuerySchema.parse({ active: 'false', sort_by: 'video_count', sort_order: 'desc', search: ' sea ' }),
    ).toMatchObject({
      active: false,
      sort_by: 'video_count',
      sort_order: 'desc',
      search: 'sea',
    });
  });

  test.each(['name;drop', 'password', '(select 1)', 'NAME'])('cannot be sorted by %j', (sort_by) => {
    expect(problemsOf(tagListQuerySchema, { sort_by })).toEqual({
      sort_by: 'Tags can be sorted by name, created_at, video_count',
    });
  });

  test('refuses switches and searches that are none', () => {
    expect(problemsOf(tagListQuerySchema, { active: '1', sort_order: 'up', search: 'a'.repeat(201) })).toEqual({
      active: "Either 'true' or 'false' is needed",
      sort_order: "The sort order is 'asc' or 'desc'",
      search: 'At most 200 characters can be searched for',
    });
  });
});

describe('a tag', () => {
  test('is created with the usual color and no description', () => {
    expect(tagCreationSchema.parse({ name: ' Ocean ' })).toEqual({ name: 'Ocean', description: '', color: '#3B82F6' });
  });

  test('is refused without a name, or with a color that is none', () => {
    expect(problemsOf(tagCreationSchema, { color: '#12345' })).toEqual({
      name: 'Tag name is required',
      color: 'Color must be written like #3B82F6',
    });
  });

  test('keeps what an update does not name', () => {
    expect(tagUpdateSchema.parse({ color: '#000000' })).toEqual({ color: '#000000' });
    expect(problemsOf(tagUpdateSchema, { name: ' ' })).toEqual({ name: 'Tag name is required' });
  });

  test('is assigned with confidence 1', () => {
    expect(tagAssignmentSchema.parse({ tag_ids: ['a', 'a', 'b'] })).toEqual({
      tag_ids: ['a', 'b'],
      confidence_score: 1,
      by_folder: false,
    });
    expect(problemsOf(tagAssignmentSchema, { tag_ids: [], confidence_score: 5 })).toEqual({
      tag_ids: 'Select at least one tag',
      confidence_score: 'The confidence is always 1',
    });
    expect(problemsOf(tagAssignmentSchema, { tag_ids: [1] })).toHaveProperty('tag_ids.0');
  });
});

describe('an upload', () => {
  test('says what it will send', () => {
    expect(uploadStartSchema.parse({ files: [{ filename: 'A.MOV', file_size: 5_368_709_120 }] })).toEqual({
      files: [{ filename: 'A.MOV', file_size: 5_368_709_120, mime_type: 'video/mp4' }],
    });
  });

  test('is refused file by file', () => {
    const files = [
      file,
      { ...file, filename: 'a.txt' },
      { ...file, file_size: 5_368_709_121 },
      { ...file, file_size: 0 },
    ];

    expect(problemsOf(uploadStartSchema, { files })).toEqual({
      'files.1.filename': 'Unsupported format. Supported formats: .mp4, .mov, .avi, .mkv, .m4v, .wmv, .flv, .webm',
      'files.2.file_size': 'File size exceeds 5GB limit',
      'files.3.file_size': 'File is empty',
    });
  });

  test.each(['5', 1.5, -1, 2 ** 60])('is refused with a size of %j', (file_size) => {
    expect(problemsOf(uploadStartSchema, { files: [{ ...file, file_size }] })).toHaveProperty(['files.0.file_size']);
  });

  test('holds one to 200 files', () => {
    expect(problemsOf(uploadStartSchema, { files: [] })).toEqual({ files: 'Choose at least one file' });
    expect(uploadStartSchema.safeParse({ files: Array(200).fill(file) }).success).toBe(true);
    expect(problemsOf(uploadStartSchema, { files: Array(201).fill(file) })).toEqual({
      files: 'At most 200 files can be uploaded at once',
    });
  });

  test('may come without tags', () => {
    expect(uploadStartSchema.parse({ files: [file], tag_ids: [] })).toMatchObject({ tag_ids: [] });
    expect(uploadCompletionSchema.parse({ session_id: 's' })).toEqual({ session_id: 's', files: [] });
  });
});

describe('the stream', () => {
  test('takes a path, a rendition and a piece', () => {
    expect(streamQuerySchema.parse({ path: 'sea/a.mp4', rendition: 'grid', piece: '262144' })).toEqual({
      path: 'sea/a.mp4',
      rendition: 'grid',
      piece: 262_144,
    });
  });

  test.each([{ path: '' }, {}, { path: ['a', 'b'] }, { path: 'a'.repeat(4_097) }])('is refused for %j', (query) => {
    expect(problemsOf(streamQuerySchema, query)).toHaveProperty('path');
  });

  test('refuses pieces that are too small, too large or no number', () => {
    const outside = 'A piece holds 262144 to 16777216 bytes';

    expect(problemsOf(streamQuerySchema, { path: 'a.mp4', piece: '262143' })).toEqual({ piece: outside });
    expect(problemsOf(streamQuerySchema, { path: 'a.mp4', piece: '16777217' })).toEqual({ piece: outside });
    expect(problemsOf(streamQuerySchema, { path: 'a.mp4', piece: 'all' })).toEqual({
      piece: 'A whole number is needed',
    });
  });
});

test('the switch interval is 5 to 86400 seconds', () => {
  const asked = (seconds: unknown) => ({ video_settings: { switch_interval_seconds: seconds } });

  expect(configUpdateSchema.safeParse(asked(5)).success).toBe(true);
  expect(problemsOf(configUpdateSchema, asked(4))).toEqual({
    'video_settings.switch_interval_seconds': 'Switch interval must be 5 to 86400 seconds',
  });
  expect(problemsOf(configUpdateSchema, asked('60'))).toHaveProperty(['video_settings.switch_interval_seconds']);
  expect(problemsOf(configUpdateSchema, {})).toHaveProperty(['video_settings']);
});

describe('a profile', () => {
  test('keeps what is not named, and loses its picture on wish', () => {
    expect(profileUpdateSchema.parse({ avatar_url: null, user_tier: 'admin' })).toEqual({ avatar_url: null });
    expect(problemsOf(profileUpdateSchema, { avatar_url: 'https://example.com/me.png' })).toEqual({
      avatar_url: 'A picture can only be removed',
    });
  });

  test('refuses settings off the slider', () => {
    expect(problemsOf(profileUpdateSchema, { settings: { skip_duration_seconds: 45 } })).toEqual({
      'settings.skip_duration_seconds': 'Skip duration must be 30 to 5400 seconds in steps of 30',
    });
  });

  test('blocks at most 500 channels', () => {
    expect(blocklistUpdateSchema.parse({ blocked_tag_ids: ['a', 'a'] })).toEqual({ blocked_tag_ids: ['a'] });
    expect(problemsOf(blocklistUpdateSchema, { blocked_tag_ids: ids(501) })).toEqual({
      blocked_tag_ids: 'At most 500 channels can be blocked',
    });
  });
});

test.each(['PRO', ['pro'], '', 'gold', null])('nobody can upgrade to %j', (to_tier) => {
  expect(upgradeSchema.safeParse({ to_tier }).success).toBe(false);
});

test('a subscription without an end has none', () => {
  expect(subscriptionUpdateSchema.parse({ tier: 'pro' })).toEqual({ tier: 'pro', expires_at: null });
  expect(subscriptionUpdateSchema.safeParse({ tier: 'pro', expires_at: '2027-01-01T00:00:00Z' }).success).toBe(true);
  expect(subscriptionUpdateSchema.safeParse({ tier: 'pro', expires_at: 'next year' }).success).toBe(false);
});

describe('performance', () => {
  test('looks back five minutes unless asked otherwise', () => {
    expect(performanceQuerySchema.parse({})).toEqual({ duration: '5m' });
    expect(problemsOf(performanceQuerySchema, { duration: '999d' })).toEqual({
      duration: 'The duration is one of 1m, 5m, 15m, 1h, 6h, 24h',
    });
  });

  test('takes 120 samples at a time', () => {
    expect(performanceReportSchema.safeParse({ samples: Array(120).fill(sample) }).success).toBe(true);
    expect(problemsOf(performanceReportSchema, { samples: Array(121).fill(sample) })).toEqual({
      samples: 'At most 120 samples fit in a call',
    });
  });

  test.each([
    { dropped_frames: 31 },
    { dropped_frames: -1 },
    { buffer_level_seconds: Number.NaN },
    { timestamp: 'now' },
    { stall_events: 0.5 },
  ])('refuses a sample with %j', (wrong) => {
    expect(performanceReportSchema.safeParse({ samples: [{ ...sample, ...wrong }] }).success).toBe(false);
  });

  test('asks for a quality by quadrant and size', () => {
    expect(qualityQuestionSchema.parse({ quadrant: 'top-left', width: 640.5, height: 360 })).toEqual({
      quadrant: 'top-left',
      width: 640.5,
      height: 360,
      device_pixel_ratio: 1,
      save_data: false,
    });
    expect(problemsOf(qualityQuestionSchema, { quadrant: 'center', width: 0, height: 360 })).toEqual({
      quadrant: 'The quadrant is one of top-left, top-right, bottom-left, bottom-right',
      width: 'A size in pixels is needed',
    });
  });
});

/** The first sentence for each refused field; empty when nothing was refused. */
function problemsOf(schema: z.ZodType, input: unknown): Record<string, string> {
  const issues = schema.safeParse(input).error?.issues ?? [];
  return Object.fromEntries([...issues].reverse().map((issue) => [issue.path.join('.'), issue.message]));
}
