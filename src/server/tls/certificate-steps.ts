/** How each kind of device takes the authority, in the words of its own settings. */
export interface DeviceSteps {
  id: string;
  device: string;
  /** HTML, written here and nowhere else. */
  steps: readonly string[];
  note?: string;
}

const file = '<a href="/fourfold-authority.crt">fourfold-authority.crt</a>';

export const deviceSteps: readonly DeviceSteps[] = [
  {
    id: 'iphone',
    device: 'iPhone and iPad',
    steps: [
      `In Safari, open ${file} and choose <b>Allow</b>.`,
      'Open <b>Settings</b>, choose <b>Profile Downloaded</b> near the top, then <b>Install</b>.',
      'In <b>Settings</b>, open <b>General</b>, <b>About</b>, <b>Certificate Trust Settings</b>, and switch the Fourfold authority on.',
    ],
    note: 'The last step is easily missed: without it nothing changes.',
  },
  {
    id: 'android',
    device: 'Android',
    steps: [
      `Open ${file}; it is saved under Downloads.`,
      'In <b>Settings</b>, search for <b>CA certificate</b> (under Security, Encryption and credentials, Install a certificate).',
      'Choose <b>Install anyway</b>, then the file.',
    ],
    note: 'Chrome follows at once. Android says from now on that the network may be monitored; it says so for every authority that a person installs. Firefox keeps to its own list.',
  },
  {
    id: 'windows',
    device: 'Windows',
    steps: [
      `Open ${file}, then the saved file, and choose <b>Install Certificate</b>.`,
      'Choose <b>Current User</b>, then <b>Place all certificates in the following store</b>: <b>Trusted Root Certification Authorities</b>.',
      'Compare the fingerprint in the question, choose <b>Yes</b>, and restart the browser.',
    ],
  },
  {
    id: 'macos',
    device: 'macOS',
    steps: [
      `Open ${file}, then the saved file: Keychain Access takes it into <b>login</b>.`,
      'Open the Fourfold authority there, unfold <b>Trust</b>, and choose <b>Always Trust</b>.',
      'Close the window, give your password, and restart the browser.',
    ],
  },
  {
    id: 'linux',
    device: 'Linux, and Firefox on any computer',
    steps: [
      `Save ${file}.`,
      'Firefox: <b>Settings</b>, <b>Privacy &amp; Security</b>, <b>View Certificates</b>, <b>Authorities</b>, <b>Import</b>, and tick <b>identify websites</b>.',
      'Chromium and Chrome: open <b>chrome://certificate-manager</b> (older: chrome://settings/certificates), import it as a trusted authority.',
    ],
  },
  {
    id: 'tv',
    device: 'TVs',
    steps: [
      'Most TVs cannot install an authority. Open the https address in the TV’s browser; if it warns and lets you go on, go on.',
      'Watching works that way. Installing the app and starting it without a network do not.',
    ],
    note: 'A TV that refuses altogether needs a certificate from a public authority (TLS_CERT_FILE), or Fourfold without TLS.',
  },
];
