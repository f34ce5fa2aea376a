import type { Color } from '../drawing/color.ts';
import { mixColor, writeColor } from '../drawing/color.ts';
import { drawGlow } from '../drawing/glow.ts';
import type { Layer } from '../drawing/layer.ts';
import { drawApart } from '../drawing/layer.ts';
import { fadeInOut, mix, wave, wrap } from '../drawing/motion.ts';
import type { Brush } from '../scene.ts';

export type Hue = 'rose' | 'gold' | 'blue';

export type Jelly = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly hue: Hue;
  readonly phase: number;
  readonly beats: number;
  readonly rises: boolean;
  readonly dim: number;
};

const COLORS: Record<Hue, { readonly skin: Color; readonly heart: Color; readonly rim: Color }> = {
  rose: { skin: [196, 120, 232], heart: [255, 116, 176], rim: [255, 206, 240] },
  gold: { skin: [255, 160, 96], heart: [255, 96, 64], rim: [255, 230, 190] },
  blue: { skin: [110, 170, 255], heart: [140, 110, 255], rim: [206, 234, 255] },
};

/** How far the bell is drawn together: quick to close, slow to open. */
function findBeat({ beats, phase }: Jelly, t: number, delay = 0): number {
  const turn = wrap(t * beats + phase - delay);
  return turn < 0.32
    ? 0.5 - 0.5 * Math.cos((turn / 0.32) * Math.PI)
    : 0.5 + 0.5 * Math.cos(((turn - 0.32) / 0.68) * Math.PI);
}

export function drawJelly(brush: Brush, jelly: Jelly, halo: Layer, height: number, t: number): void {
  const life = wrap(t + jelly.phase);
  const beat = findBeat(jelly, t);
  const lift = findBeat(jelly, t, 0.16) * jelly.size * 0.2;
  const y = jelly.rises ? mix(height + 160, -160, life) : jelly.y + wave(t, 1, jelly.phase) * jelly.size * 0.22;
  const alpha = jelly.dim * (jelly.rises ? fadeInOut(life, 0.08) : 1);
  drawApart(brush, () => {
    brush.translate(jelly.x + wave(t, 1, jelly.phase + 0.3) * jelly.size * 0.24, y - lift);
    brush.rotate(wave(t, 1, jelly.phase + 0.1) * 0.14);
    brush.globalCompositeOperation = 'lighter';
    drawGlow(brush, halo, 0, 0, jelly.size * 2.3, alpha * 0.34);
    brush.globalAlpha = alpha;
    drawTentacles(brush, jelly, beat, t);
    drawArms(brush, jelly, beat, t);
    drawBell(brush, jelly, beat);
  });
}

function traceBell(brush: Brush, size: number, beat: number): void {
  const half = size * mix(1.06, 0.8, beat);
  const top = -size * mix(0.78, 0.98, beat);
  const hem = size * mix(0.16, 0.34, beat);
  brush.beginPath();
  brush.moveTo(-half * mix(1, 0.9, beat), hem);
  brush.bezierCurveTo(-half * 1.16, top * 0.55, -half * 0.62, top * 1.04, 0, top);
  brush.bezierCurveTo(half * 0.62, top * 1.04, half * 1.16, top * 0.55, half * mix(1, 0.9, beat), hem);
  const lobes = 9;
  const span = (half * mix(1, 0.9, beat) * 2) / lobes;
  for (let lobe = 0; lobe < lobes; lobe++) {
    const x = half * mix(1, 0.9, beat) - lobe * span;
    brush.quadraticCurveTo(x - span / 2, hem + size * 0.11, x - span, hem - (lobe < lobes - 1 ? size * 0.03 : 0));
  }
  brush.closePath();
}

function drawBell(brush: Brush, { size, hue }: Jelly, beat: number): void {
  const { skin, heart, rim } = COLORS[hue];
  const body = brush.createRadialGradient(0, -size * 0.1, size * 0.08, 0, -size * 0.2, size * 1.12);
  body.addColorStop(0, writeColor(heart, 0.34));
  body.addColorStop(0.4, writeColor(mixColor(heart, skin, 0.7), 0.13));
  body.addColorStop(0.74, writeColor(skin, 0.2));
  body.addColorStop(1, writeColor(rim, 0.5));
  brush.fillStyle = body;
  traceBell(brush, size, beat);
  brush.fill();
  brush.strokeStyle = writeColor(rim, 0.5);
  brush.lineWidth = Math.max(0.8, size * 0.013);
  brush.stroke();
  drawCanals(brush, size, beat, rim);
  drawHeart(brush, size, beat, heart);
}

function drawCanals(brush: Brush, size: number, beat: number, rim: Color): void {
  brush.strokeStyle = writeColor(rim, 0.13);
  brush.lineWidth = size * 0.022;
  brush.beginPath();
  for (let canal = -4; canal <= 4; canal++) {
    const reach = (canal / 4.6) * size * mix(1.02, 0.76, beat);
    brush.moveTo(reach * 0.1, -size * 0.72);
    brush.quadraticCurveTo(reach * 0.95, -size * 0.46, reach, size * 0.16);
  }
  brush.stroke();
}

function drawHeart(brush: Brush, size: number, beat: number, heart: Color): void {
  brush.fillStyle = writeColor(mixColor(heart, [255, 230, 220], 0.3), 0.3);
  for (let petal = -1.5; petal <= 1.5; petal++) {
    brush.beginPath();
    brush.ellipse(
      petal * size * mix(0.27, 0.21, beat),
      -size * 0.3 + petal * petal * size * 0.04,
      size * 0.13,
      size * 0.19,
      petal * 0.28,
      0,
      Math.PI * 2,
    );
    brush.fill();
  }
}

/** A ribbon that hangs and lags behind the bell: waves run down it. */
function findHang(
  size: number,
  x: number,
  share: number,
  reach: number,
  t: number,
  phase: number,
  beat: number,
): [number, number] {
  const swing = wave(t, 2, phase - share * 0.9) * 0.2 + wave(t, 1, phase * 1.7 - share * 0.45) * 0.24;
  return [
    x * mix(1, 0.72, share) * mix(1, 0.86, beat) + swing * size * share,
    size * 0.14 + share * reach * mix(1.02, 0.94, beat),
  ];
}

function drawTentacles(brush: Brush, { size, hue, phase }: Jelly, beat: number, t: number): void {
  const { skin, rim } = COLORS[hue];
  for (let strand = 0; strand < 15; strand++) {
    const x = (strand / 14 - 0.5) * size * 1.8;
    const reach = size * (2.4 + 1.3 * Math.abs(Math.sin(strand * 2.4)));
    const fade = brush.createLinearGradient(0, 0, 0, reach);
    fade.addColorStop(0, writeColor(rim, 0.5));
    fade.addColorStop(1, writeColor(skin, 0));
    brush.strokeStyle = fade;
    brush.lineWidth = Math.max(0.7, size * 0.014);
    brush.beginPath();
    for (let step = 0; step <= 22; step++)
      brush.lineTo(...findHang(size, x, step / 22, reach, t, phase + strand * 0.045, beat));
    brush.stroke();
  }
}

/** Frilled arms in the middle, drawn as wide ribbons whose edges ripple. */
function drawArms(brush: Brush, { size, hue, phase }: Jelly, beat: number, t: number): void {
  const { heart, rim } = COLORS[hue];
  for (let arm = 0; arm < 4; arm++) {
    const x = (arm - 1.5) * size * 0.27;
    const reach = size * (1.9 + (arm % 2) * 0.6);
    const traceFrill = (share: number, side: number): void => {
      const [middleX, y] = findHang(size, x, share, reach, t, phase + 0.2 + arm * 0.11, beat);
      const frill = 1 + 0.45 * Math.sin(share * 34 + side * 1.3 + arm) + 0.2 * wave(t, 3, share * 2 + arm * 0.3);
      brush.lineTo(middleX + side * size * 0.085 * frill * (1 - share * 0.65), y);
    };
    const fade = brush.createLinearGradient(0, 0, 0, reach);
    fade.addColorStop(0, writeColor(mixColor(heart, rim, 0.35), 0.46));
    fade.addColorStop(0.6, writeColor(heart, 0.24));
    fade.addColorStop(1, writeColor(heart, 0));
    brush.fillStyle = fade;
    brush.beginPath();
    for (let step = 0; step <= 24; step++) traceFrill(step / 24, 1);
    for (let step = 24; step >= 0; step--) traceFrill(step / 24, -1);
    brush.fill();
  }
}
