import type { Layer } from '../drawing/layer.ts';
import { createLayer } from '../drawing/layer.ts';
import type { Brush } from '../scene.ts';

const WIDTH = 96;
const HEIGHT = 120;

/** A paper lantern with its flame: bright below, where the flame is, darker to the top and the edges. */
export function createLanternPicture(): Layer {
  return createLayer(WIDTH, HEIGHT, (brush) => {
    tracePaper(brush);
    brush.save();
    brush.clip();
    fillPaper(brush);
    drawRibs(brush);
    brush.restore();
    drawFlame(brush);
  });
}

function tracePaper(brush: Brush): void {
  brush.beginPath();
  brush.moveTo(30, 104);
  brush.bezierCurveTo(22, 78, 10, 54, 14, 30);
  brush.bezierCurveTo(18, 8, 36, 6, 48, 6);
  brush.bezierCurveTo(60, 6, 78, 8, 82, 30);
  brush.bezierCurveTo(86, 54, 74, 78, 66, 104);
  brush.quadraticCurveTo(48, 110, 30, 104);
  brush.closePath();
}

function fillPaper(brush: Brush): void {
  const light = brush.createRadialGradient(48, 94, 4, 48, 74, 84);
  light.addColorStop(0, '#fff6d6');
  light.addColorStop(0.2, '#ffd98a');
  light.addColorStop(0.48, '#ff9f3e');
  light.addColorStop(0.78, '#e0621f');
  light.addColorStop(1, '#96330f');
  brush.fillStyle = light;
  brush.fillRect(0, 0, WIDTH, HEIGHT);
  const sides = brush.createLinearGradient(10, 0, 86, 0);
  sides.addColorStop(0, 'rgba(90,20,0,0.5)');
  sides.addColorStop(0.28, 'rgba(90,20,0,0)');
  sides.addColorStop(0.72, 'rgba(90,20,0,0)');
  sides.addColorStop(1, 'rgba(90,20,0,0.5)');
  brush.fillStyle = sides;
  brush.fillRect(0, 0, WIDTH, HEIGHT);
}

function drawRibs(brush: Brush): void {
  brush.strokeStyle = 'rgba(150,60,10,0.32)';
  brush.lineWidth = 1.2;
  for (const offset of [-19, 0, 19]) {
    brush.beginPath();
    brush.moveTo(48 + offset * 0.5, 4);
    brush.quadraticCurveTo(48 + offset * 1.7, 44, 48 + offset * 0.75, 108);
    brush.stroke();
  }
}

function drawFlame(brush: Brush): void {
  const flame = brush.createRadialGradient(48, 100, 1, 48, 98, 20);
  flame.addColorStop(0, 'rgba(255,255,240,1)');
  flame.addColorStop(0.35, 'rgba(255,236,170,0.75)');
  flame.addColorStop(1, 'rgba(255,190,90,0)');
  brush.fillStyle = flame;
  brush.fillRect(24, 76, 48, 44);
}
