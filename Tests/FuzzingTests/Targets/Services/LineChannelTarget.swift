import Foundation

@testable import Backends

extension FuzzTarget {
    /// Output of a publisher's program: one line and nothing else, in any chunks.
    static let lineChannel = FuzzTarget("line-channel", upTo: 128, of: "LineChannel") { bytes in
        let line = Array(bytes.prefix { $0 != 0x0A })
        let ends = bytes.count { $0 == 0x0A }
        let whole = received([bytes])
        if ends == 0 {
            promise(whole == .failure(.ended), "a partial line was accepted as a response")
        } else if ends == 1, bytes.last == 0x0A {
            promise(whole == .success(line), "a line was changed")
            promise(received(pieces(bytes)) == whole, "parsing in pieces differs from parsing at once")
        } else {
            promise(
                whole == .failure(.malformedResponse(expected: "one line")),
                "several lines were accepted as one response")
        }
        switch received(pieces(bytes)) {
        case .success(let read): promise(ends > 0 && read == line, "a line was changed")
        case .failure(let failure):
            promise((failure == .ended) == (ends == 0), "a partial line was accepted as a response")
        }
    }

    /// Returns the result for a program that wrote these chunks, ended, and is queried again: leftover output must not
    /// become the result of the next query.
    private static func received(_ pieces: [[UInt8]]) -> Result<[UInt8], ProcessFailure> {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { fatalError("A target could not be prepared: \(errno)") }
        for piece in pieces where !piece.isEmpty {
            let count = piece.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
            promise(count == piece.count, "a chunk could not be written")
        }
        close(ends[1])
        // The test sends nothing and interrupts nothing.
        let channel = LineChannel(input: ends[0], output: -1, wakeupWriteEnd: (reading: -1, writing: -1))
        let descriptors = LineChannel.Descriptors(input: ends[0], output: -1, wakeupReadEnd: -1, wakeupWriteEnd: -1)
        let deadline = ContinuousClock.now + .seconds(60)
        defer {
            promise((try? channel.exchange([], by: deadline)) == nil, "excess output was accepted as the next response")
        }
        do {
            return .success(try channel.receive(descriptors, deadline))
        } catch let failure as ProcessFailure {
            return .failure(failure)
        } catch {
            fatalError("A property was violated: a valid process response was rejected with \(error)")
        }
    }

    #if canImport(Darwin)
        private static let kind = SOCK_STREAM
    #else
        /// The type of the socket, which delivers each chunk separately.
        private static let kind = Int32(SOCK_SEQPACKET.rawValue)
    #endif
}
