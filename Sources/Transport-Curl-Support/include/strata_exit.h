// SPDX-License-Identifier: Apache-2.0
// What has to be done so that a process can end while requests are under way.
#ifndef STRATA_EXIT_H
#define STRATA_EXIT_H

/// Has OpenSSL keep its locks and tables when the process ends. By default it frees them in `exit`, while other threads go on
/// with their connections and crash (openssl #6214). The first use of OpenSSL in a process decides, so this comes before it.
/// Does nothing in a process without OpenSSL.
void strata_keep_openssl_at_exit(void);

#endif
