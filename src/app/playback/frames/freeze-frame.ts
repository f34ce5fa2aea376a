/** The last picture of a video, for the time in which its element has to do without a decoder. It lies beneath both layers. */
export class Still {
  #host: HTMLElement | null = null;
  #canvas: HTMLCanvasElement | null = null;

  get isTaken(): boolean {
    return this.#canvas !== null;
  }

  attachTo(host: HTMLElement): void {
    this.#host = host;
    if (this.#canvas) host.prepend(this.#canvas);
  }

  take(video: HTMLVideoElement): void {
    if (!this.#host || video.videoWidth === 0) return;
    this.#canvas ??= document.createElement('canvas');
    this.#canvas.width = video.videoWidth;
    this.#canvas.height = video.videoHeight;
    this.#canvas.getContext('2d')?.drawImage(video, 0, 0);
    this.#host.prepend(this.#canvas);
  }

  clear(): void {
    this.#canvas?.remove();
    this.#canvas = null;
  }
}
