/**
 * User and group of confined programs where the server runs as root. No distribution gives it to anybody, and it exists
 * in namespaces of 65,536 ids too.
 */
export const sandboxUser = 65_533;
