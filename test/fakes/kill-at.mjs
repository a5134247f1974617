// Preloaded (node --import) into a process that has to die at a chosen moment: OCTOBENCH_TEST_KILL=rename:3 dies just before the fourth
// rename, append:5 in the middle of the sixth append to a call log (half of its bytes are written).
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [what, n] = (process.env.OCTOBENCH_TEST_KILL ?? '').split(':');
let left = Number(n);
const due = () => left-- === 0;
const die = () => process.kill(process.pid, 'SIGKILL');

if (what === 'rename') {
  const { rename } = fs.promises;
  fs.promises.rename = async (from, to) => {
    if (due()) die();
    return rename(from, to);
  };
}
if (what === 'append') {
  const { open } = fs.promises;
  const torn = (write) =>
    async function (data, ...rest) {
      if (due()) {
        fs.writeSync(this.fd, Buffer.from(data).subarray(0, Math.floor(data.length / 2)));
        die();
      }
      return write.call(this, data, ...rest);
    };
  fs.promises.open = async (path, ...rest) => {
    const file = await open(path, ...rest);
    if (String(path).endsWith('calls.jsonl')) {
      for (const name of ['write', 'appendFile', 'writeFile']) file[name] = torn(file[name]);
    }
    return file;
  };
  const { writeSync } = fs;
  const isLog = (fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).endsWith('calls.jsonl');
    } catch {
      return false;
    }
  };
  fs.writeSync = (fd, data, ...rest) => {
    if (isLog(fd) && due()) {
      writeSync(fd, Buffer.from(data).subarray(0, Math.floor(data.length / 2)));
      die();
    }
    return writeSync(fd, data, ...rest);
  };
}
syncBuiltinESMExports();
