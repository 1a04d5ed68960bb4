import Hummingbird
import NIOPosix

/// The bytes of a file as the body of a response.
///
/// An error during writing closes the connection before the announced length, so the app detects that the file is
/// incomplete. The last bytes are always read and checked here. Therefore a file that changes during the transfer
/// never ends as a complete response, regardless of how the bytes before were sent.
struct FileBody: Sendable {
    /// The number of bytes per read. A download therefore holds one chunk of memory.
    static let chunk: Int64 = 262_144
    /// The number of bytes at the end that are read even if the connection sends the others.
    ///
    /// It is small, because copying costs several times as much as sending.
    private static let tail: Int64 = 4_096

    let file: OpenFile
    /// The range to send. Not empty.
    let part: Range<Int64>
    /// The pool on which files are read.
    let pool: NIOThreadPool
    /// The sender of all but the last bytes, or `nil` to read everything in chunks.
    let sender: FileSender?

    @concurrent
    func write(to writer: inout any ResponseBodyWriter) async throws {
        var offset = try await sendRegions()
        while offset < part.upperBound {
            let (start, count) = (offset, Int(min(Self.chunk, part.upperBound - offset)))
            let chunk = try await pool.runIfActive { [file] in try file.read(at: start, upTo: count) }
            offset += Int64(chunk.readableBytes)
            try await writer.write(chunk)
        }
        try await writer.finish(nil)
    }

    /// Sends the regions that the connection can send itself.
    ///
    /// - Returns: The offset from which to read: the start of the last bytes, or the first byte if the connection
    ///   sends no files.
    private func sendRegions() async throws -> Int64 {
        let end = part.upperBound - Self.tail
        // Nothing is fetched for a connection that cannot send files itself.
        guard let sender, end - part.lowerBound >= Self.chunk, await sender.canSend() else { return part.lowerBound }
        try await sender.send(part.lowerBound..<end, of: file, reading: pool)
        return end
    }
}
