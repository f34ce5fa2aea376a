import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceClass } from '#contract/rules/media/needs.ts';
import { deviceClassCookie, readDeviceClass, usualClass } from '#contract/rules/media/needs.ts';
import { linesAllowed } from '#contract/rules/media/rendition.ts';
import { anonymous } from '../../http/pipeline/guards.ts';
import { ensureViewer } from '../../http/pipeline/viewer-cookie.ts';
import type { Ids } from '../../ids.ts';

/** Whom a video is shown to. */
export interface Audience {
  /** Names the browser that addresses are signed for. */
  viewer: string;
  /** What their device plays. */
  device: DeviceClass;
  /** The most picture lines that they may have, by their present plan. */
  lines: number;
}

export function audienceOf(request: FastifyRequest, reply: FastifyReply, ids: Ids): Audience {
  return { viewer: ensureViewer(request, reply, ids), device: deviceOf(request), lines: linesOf(request) };
}

/** As the page has told it in its cookie; what nearly every browser plays until it has. */
export function deviceOf({ cookies }: Pick<FastifyRequest, 'cookies'>): DeviceClass {
  return readDeviceClass(cookies[deviceClassCookie]) ?? usualClass;
}

export function linesOf({ caller }: Pick<FastifyRequest, 'caller'>): number {
  return linesAllowed((caller ?? anonymous).features);
}
