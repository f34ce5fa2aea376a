import { describe, expect, test } from 'vitest';
import { providerMessageSchema } from '#contract/entities/account.ts';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { configSchema, pickReplySchema, statusSchema } from '#contract/entities/feed.ts';
import { profileSchema, userSchema } from '#contract/entities/user.ts';
import { videoSchema } from '#contract/entities/video.ts';
import { quadrants } from '#contract/quadrants.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';

const user = {
  id: '0199',
  username: 'mara',
  email: 'mara@example.com',
  display_name: null,
  avatar_url: null,
  has_password: true,
  subscription_tier: 'pro',
  effective_tier: 'basic',
  subscription_expires_at: '2026-01-01T00:00:00.000Z',
  eula_accepted: false,
  features: featuresByTier.basic,
  settings: {
    skip_duration_seconds: 60,
    blocked_tag_ids: [],
    shortcut_keys: true,
    subtitle_language: null,
    shuffle: 'once',
  },
  created_at: '2025-01-01T00:00:00.000Z',
};

const picked = {
  available: true,
  message: null,
  id: '0199',
  path: 'sea/north-pier.mp4',
  filename: 'north-pier.mp4',
  title: 'North pier',
  url: '/api/video/stream?path=sea%2Fnorth-pier.mp4',
  poster_url: null,
  duration: 171.2,
  width: 960,
  height: 540,
  size: 1_000,
  tags: [{ id: 'a', name: 'Sea', color: '#3B82F6' }],
  rendition: 'source',
  renditions: [{ name: 'source', bytes: 1_000, width: 960, height: 540 }],
  storyboard: null,
  matching: 12,
};

const notYet = {
  available: false,
  message: 'This video is being made playable',
  id: null,
  path: null,
  filename: null,
  url: null,
  matching: 0,
  processing: { state: 'running', progress: 40 },
};

describe('a user', () => {
  test('travels as specified', () => {
    expect(userSchema.safeParse(user).success).toBe(true);
  });

  test('never travels with a password hash', () => {
    expect(userSchema.safeParse({ ...user, password_hash: '$argon2id$' }).success).toBe(false);
    expect(
      profileSchema.safeParse({
        authenticated: true,
        user: { ...user, password_hash: '$argon2id$' },
        features: user.features,
      }).success,
    ).toBe(false);
  });

  test('is there exactly when the profile says so', () => {
    expect(profileSchema.safeParse({ authenticated: true, user, features: user.features }).success).toBe(true);
    expect(profileSchema.safeParse({ authenticated: false, user: null, features: user.features }).success).toBe(true);
    expect(profileSchema.safeParse({ authenticated: true, user: null, features: user.features }).success).toBe(false);
    expect(profileSchema.safeParse({ authenticated: false, user, features: user.features }).success).toBe(false);
  });

  test('has every feature, granted or not', () => {
    const { quad_stream: _, ...fewer } = user.features;

    expect(userSchema.safeParse({ ...user, features: fewer }).success).toBe(false);
  });
});

describe('a pick', () => {
  test('is a video with an address, or a reason to wait', () => {
    expect(pickReplySchema.safeParse(picked).success).toBe(true);
    expect(pickReplySchema.safeParse(notYet).success).toBe(true);
    expect(pickReplySchema.safeParse({ ...picked, url: null }).success).toBe(false);
    expect(pickReplySchema.safeParse({ ...notYet, url: '/somewhere' }).success).toBe(false);
    expect(pickReplySchema.safeParse({ ...notYet, message: null }).success).toBe(false);
  });

  test('never tells where the file lies on the disk', () => {
    expect(pickReplySchema.safeParse({ ...picked, absolute_path: '/srv/videos/north-pier.mp4' }).success).toBe(false);
  });
});

test('the status counts in both spellings, for each of the four quadrants', () => {
  const status = {
    TotalVideos: 5,
    AvailableVideos: 4,
    total_videos: 5,
    available_videos: 4,
    QuadrantStatus: Object.fromEntries(quadrants.map((quadrant) => [quadrant, { PlaylistLength: 4 }])),
    ScanningStatus: { FullScanComplete: true, BackgroundScanning: false, InitialScanComplete: true },
  };
  const { 'top-left': _, ...three } = status.QuadrantStatus;

  expect(statusSchema.safeParse(status).success).toBe(true);
  expect(statusSchema.safeParse({ ...status, QuadrantStatus: three }).success).toBe(false);
  expect(statusSchema.safeParse({ ...status, TotalVideos: -1 }).success).toBe(false);
});

test('the configuration tells what the app needs before anybody signs in', () => {
  const config = {
    video_settings: { switch_interval_seconds: 120 },
    upload: {
      max_bytes: 5_368_709_120,
      extensions: ['.mp4'],
      eula_version: '1.0',
      chunk_mb: null,
      allowed: 'everyone',
    },
    analytics: null,
    features: { billing: 'open', registration: true, tag_editing: 'everyone', watched: true },
    measured: { one_in: 1 },
    version: '0.1.0',
  };

  expect(configSchema.safeParse(config).success).toBe(true);
  expect(configSchema.safeParse({ ...config, features: { ...config.features, billing: 'maybe' } }).success).toBe(false);
  expect(configSchema.safeParse({ ...config, site_password: 'open sesame' }).success).toBe(false);
});

test('a video whose bytes are known and whose shape is not is a video', () => {
  const { available: _, message: __, rendition: ___, matching: ____, ...facts } = picked;
  const video = {
    ...facts,
    available: false,
    message: 'This file is empty',
    duration: null,
    width: null,
    height: null,
    storyboard: null,
    renditions: [],
    processing: null,
    created_at: '2026-11-20T12:00:00.000Z',
    recorded_at: null,
  };

  expect(videoSchema.safeParse(video).success).toBe(true);
  expect(videoSchema.safeParse({ ...video, created_at: '20 November' }).success).toBe(false);
});

describe('a refusal', () => {
  test('has a known code, a sentence, and what its code needs', () => {
    const gate = { request_access: { platform: 'Discord', url: null } };
    const fields = [{ field: 'username', message: 'Username is required' }];

    expect(errorReplySchema.safeParse({ error: 'not_found', message: 'There is no such video' }).success).toBe(true);
    expect(
      errorReplySchema.safeParse({ error: 'site_password_required', message: 'A password is needed', details: gate })
        .success,
    ).toBe(true);
    expect(
      errorReplySchema.safeParse({ error: 'validation_failed', message: 'Username is required', details: fields })
        .success,
    ).toBe(true);
    expect(
      errorReplySchema.safeParse({ error: 'internal', message: 'Something went wrong', request_id: 'r1' }).success,
    ).toBe(true);
  });

  test('holds no stack, no unknown code and no silence', () => {
    expect(
      errorReplySchema.safeParse({ error: 'internal', message: 'Something went wrong', stack: 'at main.ts:1' }).success,
    ).toBe(false);
    expect(errorReplySchema.safeParse({ error: 'oops', message: 'Something went wrong' }).success).toBe(false);
    expect(errorReplySchema.safeParse({ error: 'internal', message: '' }).success).toBe(false);
  });
});

test('the popup of a provider says who came, or what went wrong', () => {
  const tokens = { access_token: 'a', refresh_token: 'r' };

  expect(providerMessageSchema.safeParse({ type: 'OAUTH_SUCCESS', user, tokens }).success).toBe(true);
  expect(providerMessageSchema.safeParse({ type: 'OAUTH_ERROR', error: 'account_exists' }).success).toBe(true);
  expect(providerMessageSchema.safeParse({ type: 'OAUTH_SUCCESS', user: null, tokens }).success).toBe(false);
  expect(providerMessageSchema.safeParse({ type: 'OAUTH_DONE' }).success).toBe(false);
});
