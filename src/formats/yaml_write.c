// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tree as YAML text; see yaml.h. A collection that fits LINE columns is written in flow style ({a: 1}, [1, 2]),
// otherwise in block style with its children indented by two columns. Mappings of mappings and lists of several
// mappings are always in block style. Text that is not obviously plain gets double quotes. A quoted scalar stays
// quoted. An empty plain scalar (no value) stays empty, which only block style allows. Every node is measured at most
// once per level and no further than one line: linear time.

#include "base/utf8.h"
#include "formats/scalar.h"
#include "formats/yaml.h"

#include <string.h>

enum { LINE = 110, STEP = 2, TOO_LONG = 1 << 20 };

// text that needs no quotes anywhere: letters, digits, and marks that are no YAML syntax
static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    if (!text[0] || strcmp(text, "-") == 0 || strncmp(text, "---", 3) == 0 || strncmp(text, "...", 3) == 0) return false;
    size_t n = strspn(text, letters);
    while (text[n]) {
        // behind the first letter also single blanks, brackets, =, * and ^
        if (!strchr(" ()=*^", text[n]) || n == 0) return false;
        if (text[n] == ' ' && (!text[n + 1] || text[n + 1] == ' ')) return false;
        n++;
        n += strspn(text + n, letters);
    }
    return text[0] != '-' || text[1] != ' ';
}

static void write_escaped(trxi_text *out, const char *text)
{
    trxi_text_char(out, '"');
    for (const char *at = text; *at;) {
        uint32_t c = 0;
        int length = trxi_utf8_decode(at, &c);
        if (length == 0) length = 1, c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            trxi_text_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            trxi_text_string(out, "\\n");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0))
            trxi_text_printf(out, "\\x%02X", (unsigned)c);
        else if (c == 0x2028 || c == 0x2029 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF)
            trxi_text_printf(out, "\\u%04X", (unsigned)c);
        else
            trxi_text_append(out, at, (size_t)length);
        at += length;
    }
    trxi_text_char(out, '"');
}

static void write_scalar(trxi_text *out, const char *text, bool quoted)
{
    if (!quoted && is_plain(text))
        trxi_text_string(out, text);
    else
        write_escaped(out, text);
}

// no value: an empty scalar without quotes
static bool is_empty(const trxi_yaml_node *node)
{
    return node->kind == TRXI_YAML_SCALAR && !node->quoted && !node->text[0];
}

// columns of the node in flow style; TOO_LONG beyond `most` and for nodes without a flow style; escapes are not
// counted
static int flow_length(const trxi_yaml_node *node, int most)
{
    if (node->kind == TRXI_YAML_SCALAR) {
        if (is_empty(node)) return TOO_LONG;
        size_t length = strnlen(node->text, LINE + 1);
        return length > LINE ? TOO_LONG : (int)length + 2 * node->quoted;
    }
    int length = 2;
    for (int i = 0; i < node->count && length <= most; i++) {
        if (node->kind == TRXI_YAML_MAPPING) length += (int)strlen(node->keys[i]) + 2;
        length += 2 + flow_length(node->items[i], most - length);
    }
    return length <= most ? length : TOO_LONG;
}

static void write_flow(trxi_text *out, const trxi_yaml_node *node)
{
    bool mapping = node->kind == TRXI_YAML_MAPPING;
    if (node->kind == TRXI_YAML_SCALAR) {
        write_scalar(out, node->text, node->quoted);
        return;
    }
    trxi_text_char(out, mapping ? '{' : '[');
    for (int i = 0; i < node->count; i++) {
        if (i > 0) trxi_text_string(out, ", ");
        if (mapping) {
            write_scalar(out, node->keys[i], false);
            trxi_text_string(out, ": ");
        }
        write_flow(out, node->items[i]);
    }
    trxi_text_char(out, mapping ? '}' : ']');
}

static bool is_block(const trxi_yaml_node *node, int column)
{
    if (node->kind == TRXI_YAML_SCALAR || node->count == 0) return false;
    // mappings of mappings, and lists of several mappings, are more readable in block style
    bool table = node->kind == TRXI_YAML_MAPPING || node->count > 1;
    for (int i = 0; i < node->count && table; i++) table = node->items[i]->kind == TRXI_YAML_MAPPING;
    return table || flow_length(node, LINE - column) == TOO_LONG;
}

static void write_block(trxi_text *out, const trxi_yaml_node *node, int column);

// the value after "key:" or "-": nothing, a blank and the value, or the block below
static void write_child(trxi_text *out, const trxi_yaml_node *child, int column, bool in_sequence)
{
    if (is_block(child, column + STEP)) {
        // a block in a list begins on the line of its dash
        if (in_sequence) {
            trxi_text_char(out, ' ');
        } else {
            trxi_text_char(out, '\n');
            trxi_text_repeat(out, ' ', column + STEP);
        }
        write_block(out, child, column + STEP);
        return;
    }
    if (!is_empty(child)) {
        trxi_text_char(out, ' ');
        write_flow(out, child);
    }
    trxi_text_char(out, '\n');
}

// a collection in block style whose first line begins where the text stands
static void write_block(trxi_text *out, const trxi_yaml_node *node, int column)
{
    for (int i = 0; i < node->count; i++) {
        if (i > 0) trxi_text_repeat(out, ' ', column);
        if (node->kind == TRXI_YAML_MAPPING) {
            write_scalar(out, node->keys[i], false);
            trxi_text_char(out, ':');
        } else {
            trxi_text_char(out, '-');
        }
        write_child(out, node->items[i], column, node->kind == TRXI_YAML_SEQUENCE);
    }
}

trx_status trxi_yaml_write(const trxi_yaml_node *root, trxi_text *out)
{
    if (root->kind != TRXI_YAML_SCALAR && root->count > 0) {
        write_block(out, root, 0);
    } else {
        // a root without a value needs a document mark, because the text would be empty otherwise
        if (is_empty(root)) trxi_text_string(out, "---");
        else write_flow(out, root);
        trxi_text_char(out, '\n');
    }
    return out->status;
}
