import type { Brush } from '../scene.ts';

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export const WINDOWS: readonly Box[] = [
  { x: 410, y: 322, width: 34, height: 32 },
  { x: 538, y: 322, width: 34, height: 32 },
  { x: 476, y: 258, width: 26, height: 26 },
];

export const CHIMNEY = { x: 548, y: 206 };

const WALL: Box = { x: 382, y: 302, width: 216, height: 74 };

export function drawHouse(brush: Brush): void {
  drawWall(brush);
  drawGable(brush);
  drawChimney(brush);
  drawRoof(brush);
  drawDoor(brush);
  for (const pane of WINDOWS) drawWindow(brush, pane);
  drawSnowBank(brush);
}

function drawWall(brush: Brush): void {
  brush.fillStyle = '#3a2420';
  brush.fillRect(WALL.x, WALL.y - 14, WALL.width, WALL.height + 18);
  brush.fillStyle = 'rgba(12,8,20,0.5)';
  for (let y = WALL.y - 10; y < WALL.y + WALL.height; y += 10) brush.fillRect(WALL.x, y, WALL.width, 2.4);
}

function drawGable(brush: Brush): void {
  brush.fillStyle = '#33201f';
  brush.beginPath();
  brush.moveTo(WALL.x + 4, WALL.y - 6);
  brush.lineTo(489, 208);
  brush.lineTo(WALL.x + WALL.width - 4, WALL.y - 6);
  brush.fill();
}

function drawChimney(brush: Brush): void {
  brush.fillStyle = '#2a2030';
  brush.fillRect(CHIMNEY.x - 11, CHIMNEY.y, 22, 60);
  brush.fillStyle = '#b9c4e6';
  brush.beginPath();
  brush.roundRect(CHIMNEY.x - 14, CHIMNEY.y - 6, 28, 9, 4);
  brush.fill();
}

/** A thick edge of snow over both sides of the roof, with icicle-like sags at its hem. */
function drawRoof(brush: Brush): void {
  const snow = brush.createLinearGradient(0, 190, 0, 310);
  snow.addColorStop(0, '#d3dcf4');
  snow.addColorStop(1, '#8794c0');
  brush.fillStyle = snow;
  brush.beginPath();
  brush.moveTo(489, 186);
  brush.quadraticCurveTo(496, 186, 502, 193);
  brush.lineTo(628, 300);
  brush.quadraticCurveTo(634, 314, 618, 312);
  brush.lineTo(489, 211);
  brush.lineTo(360, 312);
  brush.quadraticCurveTo(344, 314, 350, 300);
  brush.lineTo(476, 193);
  brush.quadraticCurveTo(482, 186, 489, 186);
  brush.fill();
}

function drawDoor(brush: Brush): void {
  brush.fillStyle = '#20120f';
  brush.fillRect(474, 320, 32, 58);
  brush.fillStyle = '#5a3424';
  brush.fillRect(477, 323, 26, 55);
  brush.fillStyle = '#ffcf80';
  brush.fillRect(484, 329, 12, 12);
}

function drawWindow(brush: Brush, { x, y, width, height }: Box): void {
  const light = brush.createRadialGradient(
    x + width / 2,
    y + height * 0.7,
    2,
    x + width / 2,
    y + height / 2,
    width * 0.9,
  );
  light.addColorStop(0, '#fff2c0');
  light.addColorStop(0.5, '#ffc35e');
  light.addColorStop(1, '#e8812e');
  brush.fillStyle = '#1d1010';
  brush.fillRect(x - 3, y - 3, width + 6, height + 6);
  brush.fillStyle = light;
  brush.fillRect(x, y, width, height);
  brush.fillStyle = '#2a1714';
  brush.fillRect(x + width / 2 - 1.2, y, 2.4, height);
  brush.fillRect(x, y + height / 2 - 1.2, width, 2.4);
  brush.fillStyle = '#dfe6fa';
  brush.beginPath();
  brush.roundRect(x - 5, y + height + 1, width + 10, 5, 3);
  brush.fill();
}

function drawSnowBank(brush: Brush): void {
  brush.beginPath();
  brush.moveTo(350, 392);
  brush.quadraticCurveTo(390, 362, 440, 374);
  brush.quadraticCurveTo(466, 380, 474, 384);
  brush.lineTo(506, 384);
  brush.quadraticCurveTo(520, 376, 556, 372);
  brush.quadraticCurveTo(604, 364, 632, 392);
  brush.closePath();
  const warm = brush.createLinearGradient(0, 366, 0, 394);
  warm.addColorStop(0, 'rgba(206,172,160,1)');
  warm.addColorStop(0.4, 'rgba(206,160,140,0.8)');
  warm.addColorStop(1, 'rgba(206,150,120,0)');
  brush.fillStyle = warm;
  brush.fill();
}
