/** Version of octobench, recorded in every experiment; a test keeps it equal to package.json. */
export const VERSION = '0.1.0';
