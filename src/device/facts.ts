import type { Connection, DeviceDatabase, Facts } from './device-database.ts';
import { changeStore, deviceDatabase } from './device-database.ts';

/** Single values that page and worker share. */
export class FactStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new Map<keyof Facts, Facts[keyof Facts]>();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  read<Name extends keyof Facts>(name: Name): Promise<Facts[Name] | undefined> {
    return this.database.run(
      async (connection) => (await connection.get('facts', name)) as Facts[Name] | undefined,
      () => this.memory.get(name) as Facts[Name] | undefined,
    );
  }

  /** Changes a value in one transaction: two tabs that change it at once agree. */
  update<Name extends keyof Facts>(
    name: Name,
    change: (known: Facts[Name] | undefined) => Facts[Name],
  ): Promise<Facts[Name]> {
    return this.database.run(
      (connection) => updateStored(connection, name, change),
      () => {
        const value = change(this.memory.get(name) as Facts[Name] | undefined);
        this.memory.set(name, value);
        return value;
      },
    );
  }
}

function updateStored<Name extends keyof Facts>(
  connection: Connection,
  name: Name,
  change: (known: Facts[Name] | undefined) => Facts[Name],
): Promise<Facts[Name]> {
  return changeStore(connection, 'facts', async (store) => {
    const value = change((await store.get(name)) as Facts[Name] | undefined);
    await store.put(value, name);
    return value;
  });
}

export const facts = new FactStore(deviceDatabase);
