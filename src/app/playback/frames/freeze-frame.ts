/** The last frame of a video, for the time in which its element has no decoder. It lies beneath both layers. */
export class FreezeFrame {
  private host: HTMLElement | null = null;
  private canvas: HTMLCanvasElement | null = null;

  get isCaptured(): boolean {
    return this.canvas !== null;
  }

  attachTo(host: HTMLElement): void {
    this.host = host;
    if (this.canvas) host.prepend(this.canvas);
  }

  capture(video: HTMLVideoElement): void {
    if (!this.host || video.videoWidth === 0) return;
    this.canvas ??= document.createElement('canvas');
    this.canvas.width = video.videoWidth;
    this.canvas.height = video.videoHeight;
    this.canvas.getContext('2d')?.drawImage(video, 0, 0);
    this.host.prepend(this.canvas);
  }

  clear(): void {
    this.canvas?.remove();
    this.canvas = null;
  }
}
