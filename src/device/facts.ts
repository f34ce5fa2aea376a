import type { DeviceDatabase } from './database/device-database.ts';
import { deviceDatabase } from './database/device-database.ts';
import type { Facts } from './database/schema.ts';

/** Single values that page and worker share. */
export class FactStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new Map<keyof Facts, Facts[keyof Facts]>();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  read<Name extends keyof Facts>(name: Name): Promise<Facts[Name] | undefined> {
    return this.database.run(
      (connection) => connection.get('facts', name),
      () => this.memory.get(name),
    );
  }

  async write<Name extends keyof Facts>(name: Name, value: Facts[Name]): Promise<void> {
    await this.database.run<unknown>(
      (connection) => connection.put('facts', value, name),
      () => this.memory.set(name, value),
    );
  }
}

export const facts = new FactStore(deviceDatabase);
