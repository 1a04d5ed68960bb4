package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
)

type http1 struct {
	connection net.Conn
	reader     *bufio.Reader
	buffer     []byte
	address    string
}

func connectHTTP1(address string, config *tls.Config) (client, error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if config != nil {
		secure := tls.Client(connection, config)
		if err := secure.Handshake(); err != nil {
			return nil, err
		}
		connection = secure
	}
	return newHTTP1(connection, address), nil
}

func newHTTP1(connection net.Conn, address string) *http1 {
	return &http1{connection: connection, reader: bufio.NewReaderSize(connection, 4096), address: address}
}

func (c *http1) send(r request) error {
	text := append(c.buffer[:0], r.method...)
	text = append(text, ' ')
	text = append(text, r.path...)
	text = append(text, " HTTP/1.1\r\nhost: "...)
	text = append(text, c.address...)
	for _, header := range r.headers {
		text = append(text, "\r\n"...)
		text = append(text, header.name...)
		text = append(text, ": "...)
		text = append(text, header.value...)
	}
	if r.body != "" {
		text = append(text, "\r\ncontent-length: "...)
		text = strconv.AppendInt(text, int64(len(r.body)), 10)
	}
	text = append(text, "\r\n\r\n"...)
	c.buffer = append(text, r.body...)
	_, err := c.connection.Write(c.buffer)
	return err
}

// Reads a response that has a Content-Length, as all responses in this benchmark.
func (c *http1) receive() (status, size int, err error) {
	length := -1
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		size += len(line)
		line = bytes.TrimRight(line, "\r\n")
		if first {
			if len(line) < 12 {
				return 0, 0, errors.New("malformed status line")
			}
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, 0, err
			}
			continue
		}
		if len(line) == 0 {
			break
		}
		const name = "content-length:"
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return 0, 0, err
			}
		}
	}
	if length < 0 {
		return 0, 0, errors.New("response without Content-Length")
	}
	_, err = io.CopyN(io.Discard, c.reader, int64(length))
	return status, size + length, err
}

func (c *http1) close() { c.connection.Close() }
