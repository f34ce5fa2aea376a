import type { ServerHttp2Session } from 'node:http2';

/**
 * What a client may send ahead. The usual 64 KiB would be 5 Mbit/s at 100 ms. Of what has been read the client hears when
 * it is half of this, so that it has to be far more than what TCP keeps on its way.
 */
const windowBytes = 16 * 1024 * 1024;
/** Of the whole connection, which all its streams share. */
const connectionWindowBytes = 32 * 1024 * 1024;
/** What Node gives each of them. */
const usualBytes = 65_535;

/** Each may have a whole window of its connection in the memory of this process. */
export const raisedLimits = { perPerson: 2, total: 16 };

interface RaisedConnection {
  person: string;
  /** Bodies that are being read. */
  bodies: number;
}

/**
 * Lets connections bring more at a time while somebody's body is being read over them. A window belongs to all streams of
 * a connection, also to those that nobody reads yet: for everybody it would be memory that anybody can take.
 */
export class RaisedWindows {
  private readonly raised = new Map<ServerHttp2Session, RaisedConnection>();

  /** The first bytes of a body were read. @returns what to call at its end */
  raise(session: ServerHttp2Session | null, person: string): () => void {
    if (session === null || session.destroyed) return () => {};
    const connection = this.raised.get(session) ?? this.begin(session, person);
    if (connection === null) return () => {};
    connection.bodies += 1;
    return () => {
      connection.bodies -= 1;
    };
  }

  /** @returns null when there are enough of them; its uploads are slower then */
  private begin(session: ServerHttp2Session, person: string): RaisedConnection | null {
    const own = [...this.raised].filter(([, raised]) => raised.person === person);
    if (own.length >= raisedLimits.perPerson && !this.endResting(own)) return null;
    if (this.raised.size >= raisedLimits.total && !this.endResting([...this.raised])) return null;
    const connection = { person, bodies: 0 };
    this.raised.set(session, connection);
    session.once('close', () => this.raised.delete(session));
    setWindows(session, connectionWindowBytes, windowBytes);
    return connection;
  }

  private endResting(among: readonly [ServerHttp2Session, RaisedConnection][]): boolean {
    const resting = among.find(([, { bodies }]) => bodies === 0);
    if (resting === undefined) return false;
    this.raised.delete(resting[0]);
    if (!resting[0].destroyed) setWindows(resting[0], usualBytes, usualBytes);
    return true;
  }
}

function setWindows(session: ServerHttp2Session, ofConnection: number, ofStream: number): void {
  session.setLocalWindowSize(ofConnection);
  session.settings({ initialWindowSize: ofStream });
}
