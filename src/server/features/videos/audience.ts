import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { deviceClassCookie, readDeviceClass, usualClass } from '#contract/rules/media-needs.ts';
import { linesAllowed } from '#contract/rules/rendition.ts';
import { ensureViewer } from '../../http/pipeline/cookies.ts';
import { anonymous } from '../../http/pipeline/guards.ts';
import type {} from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';

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
  /** The most picture lines that their present plan allows. */
  lines: number;
}

export function audienceOf(request: FastifyRequest, reply: FastifyReply, ids: Ids): Audience {
  const told = toldDevice(request);
  return {
    viewer: ensureViewer(request, reply, ids),
    device: told ?? usualClass,
    isDeviceKnown: told !== null,
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
