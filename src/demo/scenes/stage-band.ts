import { createGlow, drawGlow, fillDisc } from '../drawing/glow.ts';
import { drawApart } from '../drawing/layer.ts';
import { wave } from '../drawing/motion.ts';
import type { Brush } from '../scene.ts';

const FLOOR = 420;
const INK = '#1a0708';

/** Three players as dark shapes before the light at the back of the stage. */
export function createBand(): (brush: Brush, t: number) => void {
  const halo = createGlow([255, 214, 150], 64, 1.8);
  return (brush, t) => {
    brush.globalCompositeOperation = 'lighter';
    drawGlow(brush, halo, 480, FLOOR - 58, 150 + 12 * wave(t, 2), 0.55);
    brush.globalCompositeOperation = 'source-over';
    brush.fillStyle = INK;
    brush.fillRect(0, FLOOR, 960, 140);
    drawDrums(brush, 560, t);
    drawPlayer(brush, 480, 1.12, t, 0);
    drawPlayer(brush, 372, 1, t, 0.3);
    drawPlayer(brush, 648, 1, t, 0.62);
  };
}

function drawPlayer(brush: Brush, x: number, scale: number, t: number, phase: number): void {
  drawApart(brush, () => {
    brush.translate(x + wave(t, 2, phase) * 5, FLOOR);
    brush.scale(scale, scale);
    brush.rotate(wave(t, 5, phase) * 0.05);
    brush.fillStyle = INK;
    brush.strokeStyle = INK;
    brush.lineCap = 'round';
    fillDisc(brush, wave(t, 10, phase) * 1.2, -68, 6.4);
    brush.beginPath();
    brush.roundRect(-9, -61, 18, 34, 7);
    brush.fill();
    drawLegs(brush);
    drawGuitar(brush, t, phase);
  });
}

function drawLegs(brush: Brush): void {
  brush.lineWidth = 7;
  brush.beginPath();
  brush.moveTo(-4, -30);
  brush.lineTo(-8, 2);
  brush.moveTo(4, -30);
  brush.lineTo(9, 2);
  brush.stroke();
}

function drawGuitar(brush: Brush, t: number, phase: number): void {
  brush.lineWidth = 3;
  brush.beginPath();
  brush.moveTo(-10, -36);
  brush.lineTo(31, -52 + wave(t, 5, phase) * 2);
  brush.stroke();
  brush.beginPath();
  brush.ellipse(-8, -36, 11, 8, -0.4, 0, Math.PI * 2);
  brush.fill();
  brush.lineWidth = 4.4;
  brush.beginPath();
  brush.moveTo(-8, -56);
  brush.lineTo(-17, -46);
  brush.lineTo(-6, -36 + wave(t, 20, phase) * 3);
  brush.moveTo(8, -56);
  brush.lineTo(17, -48);
  brush.stroke();
}

function drawDrums(brush: Brush, x: number, t: number): void {
  brush.fillStyle = INK;
  fillDisc(brush, x, FLOOR - 62, 6);
  brush.beginPath();
  brush.roundRect(x - 8, FLOOR - 55, 16, 30, 6);
  brush.ellipse(x, FLOOR - 14, 21, 20, 0, 0, Math.PI * 2);
  brush.ellipse(x - 30, FLOOR - 18, 12, 9, 0, 0, Math.PI * 2);
  brush.ellipse(x + 30, FLOOR - 18, 12, 9, 0, 0, Math.PI * 2);
  brush.fill();
  for (const side of [-1, 1]) drawCymbal(brush, x + side * 34, side, t);
}

function drawCymbal(brush: Brush, x: number, side: number, t: number): void {
  brush.strokeStyle = INK;
  brush.lineWidth = 2;
  brush.beginPath();
  brush.moveTo(x, FLOOR);
  brush.lineTo(x, FLOOR - 46);
  brush.stroke();
  brush.beginPath();
  brush.ellipse(x, FLOOR - 46, 15, 2.2, side * 0.2 + wave(t, 10, side * 0.2) * 0.12, 0, Math.PI * 2);
  brush.fill();
}
