import type { Scene } from '../scene.ts';
import { aurora } from './aurora.ts';
import { cabin } from './cabin.ts';
import { dunes } from './dunes.ts';
import { forest } from './forest.ts';
import { jellyfish } from './jellyfish.ts';
import { lanterns } from './lanterns.ts';
import { mountains } from './mountains.ts';
import { rain } from './rain.ts';
import { sea } from './sea.ts';
import { shoal } from './shoal.ts';
import { skyline } from './skyline.ts';
import { stageLights } from './stage-lights.ts';

export const scenes = {
  sea,
  forest,
  skyline,
  mountains,
  shoal,
  dunes,
  rain,
  stageLights,
  aurora,
  lanterns,
  cabin,
  jellyfish,
} satisfies Record<string, Scene>;

export type SceneName = keyof typeof scenes;
