import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/*
 * A long way, in a process of its own: what either side sends arrives so much later. Arguments: the port behind it, and
 * the milliseconds of one direction. It sends its own port to its parent.
 */
const [port = '', oneWayMs = ''] = process.argv.slice(2);
/** What Linux keeps on its way for one connection, unless it is told otherwise (tcp_wmem). */
const maxBytesOnTheWay = 4 * 1024 * 1024;

function carry(from: Socket, to: Socket): void {
  let onTheWay = 0;
  const later = (act: () => void) => void setTimeout(act, Number(oneWayMs));
  from.on('data', (chunk: Buffer) => {
    onTheWay += chunk.length;
    if (onTheWay > maxBytesOnTheWay) from.pause();
    later(() => {
      to.write(chunk, () => {
        onTheWay -= chunk.length;
        if (onTheWay <= maxBytesOnTheWay) from.resume();
      });
    });
  });
  from.on('end', () => later(() => to.end()));
  from.on('error', () => later(() => to.destroy()));
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const far = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  carry(near, far);
  carry(far, near);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
