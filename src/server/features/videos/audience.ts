import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { deviceClassCookie, readDeviceClass, usualClass } from '#contract/rules/media-needs.ts';
import { linesAllowed } from '#contract/rules/rendition.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import { ensureViewer } from '../../http/pipeline/cookies.ts';
import { anonymous, rankOf } from '../../http/pipeline/guards.ts';
import type {} from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import type { TagForSome } from './video-repository.ts';

/** The viewer, device and plan that a video is shown for. */
export interface Audience {
  /** Identifies the browser that URLs are signed for. */
  viewer: string;
  /** The media needs that their device can play. */
  device: DeviceClass;
  /**
   * False while the page has not reported its device: `device` is then what nearly every browser
   * plays.
   */
  isDeviceKnown: boolean;
  /** Their present rank, which decides about the channels that they see. */
  rank: number;
  /** The most picture lines that their present plan allows. */
  lines: number;
}

export function audienceOf(request: FastifyRequest, reply: FastifyReply, ids: Ids): Audience {
  const told = toldDevice(request);
  return {
    viewer: ensureViewer(request, reply, ids),
    device: told ?? usualClass,
    isDeviceKnown: told !== null,
    rank: rankOf(request.caller ?? anonymous),
    lines: allowedHeightOf(request),
  };
}

/**
 * The device that the page has reported in its cookie; until then, what nearly every browser plays.
 */
export function deviceOf(request: Pick<FastifyRequest, 'cookies'>): DeviceClass {
  return toldDevice(request) ?? usualClass;
}

function toldDevice({ cookies }: Pick<FastifyRequest, 'cookies'>): DeviceClass | null {
  return readDeviceClass(cookies[deviceClassCookie]);
}

export function allowedHeightOf({ caller }: Pick<FastifyRequest, 'caller'>): number {
  return linesAllowed((caller ?? anonymous).features);
}

/** The labels of those tags of a video that a viewer of a rank sees. */
export function labelsFor(rank: number, tags: readonly TagForSome[]): TagLabel[] {
  return tags
    .filter(({ audience }) => audienceRanks[audience] <= rank)
    .map(({ id, name, color }) => ({ id, name, color }));
}
