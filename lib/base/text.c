/* text.c - see text.h. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

static bool make_room(struct het__text *text, size_t bytes)
{
	const size_t need = text->length + bytes;
	size_t room = text->room ? text->room : 256;
	char *at;

	if (text->lost || (text->most && need > text->most))
		return false;
	if (need <= text->room)
		return true;
	while (room < need)
		room *= 2;
	at = het__realloc(text->at, room);
	if (!at)
		return false;
	text->at = at;
	text->room = room;
	return true;
}

static void add_bytes(struct het__text *text, const char *bytes, size_t count)
{
	if (!make_room(text, count)) {
		text->lost = true;
		return;
	}
	memcpy(text->at + text->length, bytes, count);
	text->length += count;
}

void het__text_add_list(struct het__text *text, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0 || !make_room(text, (size_t)length + 1)) {
		text->lost = true;
		return;
	}
	(void)vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
	text->length += (size_t)length;
}

void het__text_add(struct het__text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	het__text_add_list(text, format, arguments);
	va_end(arguments);
}

void het__text_copy(struct het__text *text, const struct het__text *other)
{
	add_bytes(text, other->length ? other->at : "", other->length);
	text->lost |= other->lost;
}

void het__text_us(struct het__text *text, uint64_t ns)
{
	het__text_add(text, "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

void het__text_quote(struct het__text *text, const char *words)
{
	const unsigned char *at = (const unsigned char *)words;

	add_bytes(text, "\"", 1);
	while (*at) {
		const size_t bytes = het__utf8_bytes((const char *)at);

		if (bytes == 0)
			add_bytes(text, "\\ufffd", 6);
		else if (*at == '"' || *at == '\\')
			het__text_add(text, "\\%c", *at);
		else if (*at < 0x20)
			het__text_add(text, "\\u%04x", *at);
		else
			add_bytes(text, (const char *)at, bytes);
		at += bytes ? bytes : 1;
	}
	add_bytes(text, "\"", 1);
}
