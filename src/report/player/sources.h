// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The player's own sources as bytes, made from the files beside this one by embed.c; each is followed by a zero.

#ifndef TRXI_REPORT_PLAYER_SOURCES_H
#define TRXI_REPORT_PLAYER_SOURCES_H

#include <stddef.h>

extern const unsigned char trxi_player_html[];
extern const size_t trxi_player_html_size;
extern const unsigned char trxi_player_css[];
extern const size_t trxi_player_css_size;
extern const unsigned char trxi_player_js[];
extern const size_t trxi_player_js_size;

#endif
