// Loaded into a server before its own code: faults that nobody expects, at a signal of the test's.
process.on('SIGUSR2', () => {
  throw new Error('planted fault');
});
process.on('SIGHUP', () => {
  Promise.reject(new Error('planted fault'));
});
