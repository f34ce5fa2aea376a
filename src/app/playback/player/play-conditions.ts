/** Whether a player is to play: the viewer wants it to, and can see it. */
export class PlayConditions {
  isWanted = false;
  /** The page is out of sight. */
  isHidden = false;
  /** Another view is open. */
  isAway = false;

  get isPresent(): boolean {
    return !this.isHidden && !this.isAway;
  }

  get isPlaying(): boolean {
    return this.isWanted && this.isPresent;
  }
}
