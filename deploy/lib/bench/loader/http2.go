package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// One stream at a time, like a reader's app that waits for each response.
type http2Client struct {
	connection *tls.Conn
	address    string
	framer     *http2.Framer
	decoder    *hpack.Decoder
	status     string

	// For the sender, and for acknowledgements.
	lock    sync.Mutex
	out     bytes.Buffer
	block   bytes.Buffer
	encoder *hpack.Encoder
	stream  uint32
	// The bytes that the server lets us send on the connection.
	window int
}

// The received bytes of a run are fewer, so the windows need no update.
const receiveWindow = 1 << 30

func connectHTTP2(address string, config *tls.Config) (client, error) {
	connection, err := tls.Dial("tcp", address, config)
	if err != nil {
		return nil, err
	}
	if connection.ConnectionState().NegotiatedProtocol != "h2" {
		return nil, errors.New("the server does not speak HTTP/2")
	}
	c := &http2Client{connection: connection, address: address, stream: 1, window: 65535}
	c.framer = http2.NewFramer(&c.out, connection)
	c.framer.SetReuseFrames()
	c.encoder = hpack.NewEncoder(&c.block)
	c.decoder = hpack.NewDecoder(4096, func(one hpack.HeaderField) {
		if one.Name == ":status" {
			c.status = one.Value
		}
	})
	c.out.WriteString(http2.ClientPreface)
	c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: receiveWindow})
	c.framer.WriteWindowUpdate(0, receiveWindow)
	return c, c.flush()
}

func (c *http2Client) flush() error {
	_, err := c.connection.Write(c.out.Bytes())
	c.out.Reset()
	return err
}

func (c *http2Client) send(r request) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.block.Reset()
	write := func(name, value string) { c.encoder.WriteField(hpack.HeaderField{Name: name, Value: value}) }
	write(":method", r.method)
	write(":scheme", "https")
	write(":authority", c.address)
	write(":path", r.path)
	for _, header := range r.headers {
		write(header.name, header.value)
	}
	if r.body != "" {
		write("content-length", strconv.Itoa(len(r.body)))
	}
	if c.window -= len(r.body); c.window < 0 {
		return errors.New("the server's window is used up")
	}
	c.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: c.stream, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: r.body == ""})
	if r.body != "" {
		c.framer.WriteData(c.stream, true, []byte(r.body))
	}
	c.stream += 2
	return c.flush()
}

func (c *http2Client) receive() (status, size int, err error) {
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return 0, 0, err
		}
		size += 9 + int(frame.Header().Length)
		ends := false
		switch frame := frame.(type) {
		case *http2.HeadersFrame:
			if _, err := c.decoder.Write(frame.HeaderBlockFragment()); err != nil {
				return 0, 0, err
			}
			if !frame.HeadersEnded() {
				return 0, 0, errors.New("headers in several frames")
			}
			ends = frame.StreamEnded()
		case *http2.DataFrame:
			ends = frame.StreamEnded()
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = c.control(func() error { return c.framer.WriteSettingsAck() })
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = c.control(func() error { return c.framer.WritePing(true, frame.Data) })
			}
		case *http2.WindowUpdateFrame:
			if frame.StreamID == 0 {
				c.lock.Lock()
				c.window += int(frame.Increment)
				c.lock.Unlock()
			}
		case *http2.RSTStreamFrame:
			// A server may respond before it has read the form, and then ends the form like this (RFC 9113, 8.1).
			if frame.ErrCode != http2.ErrCodeNo {
				err = fmt.Errorf("stream reset: %v", frame.ErrCode)
			}
		case *http2.GoAwayFrame:
			err = fmt.Errorf("connection closed: %v", frame.ErrCode)
		}
		if err != nil {
			return 0, 0, err
		}
		if ends {
			status, err = strconv.Atoi(c.status)
			return status, size, err
		}
	}
}

func (c *http2Client) control(write func() error) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if err := write(); err != nil {
		return err
	}
	return c.flush()
}

func (c *http2Client) close() { c.connection.Close() }
