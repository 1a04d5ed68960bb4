import NIOCore
import NIOHTTP1
import NIOPosix

/// A transfer of a part of a file, region by region. It runs on the connection's event loop and leaves the loop
/// only for disk access.
final class FileTransfer {
    /// The range of the number of bytes per send call: 1 MiB to 16 MiB.
    ///
    /// The first region, and each region for a slow client, has the minimum, so that it is still in the page cache
    /// when its last bytes are sent. The length doubles for each region that a quick client takes, because every
    /// call has a cost.
    private static let regions: ClosedRange<Int64> = 1 << 20...16 << 20
    /// The time limit within which a quick client takes a region.
    private static let quick = TimeAmount.milliseconds(250)

    private let file: OpenFile
    private let end: Int64
    private let context: ChannelHandlerContext
    private let disk: FileFetcher
    private let done: EventLoopPromise<Void>
    private var length = FileTransfer.regions.lowerBound

    /// - Parameters:
    ///   - context: The context of the handler that sends files.
    ///   - pool: The pool on which files are read.
    init(_ file: OpenFile, to end: Int64, on context: ChannelHandlerContext, reading pool: NIOThreadPool) {
        self.file = file
        self.end = end
        self.context = context
        disk = FileFetcher(file: file, pool: pool, loop: context.eventLoop)
        done = context.eventLoop.makePromise()
    }

    /// Sends the bytes from this offset to the end. Call it once.
    ///
    /// - Returns: A future that succeeds when the connection has accepted all bytes, and fails if the connection
    ///   closes earlier.
    func send(from start: Int64) -> EventLoopFuture<Void> {
        let monitor = FileChangeMonitor.begin(file, on: context.channel)
        done.futureResult.assumeIsolated().whenComplete { _ in monitor.cancel() }
        let first = region(from: start)
        disk.fetch(first).assumeIsolated().whenComplete { self.then($0) { self.send(first) } }
        return done.futureResult
    }

    /// - Parameter region: The range to send, which is in memory. Empty at the end.
    private func send(_ region: Range<Int64>) {
        if region.isEmpty { return done.succeed() }
        // The disk works on the next region while the network works on this one.
        let next = self.region(from: region.upperBound)
        let fetched = disk.fetch(next).assumeIsolated()
        let start = NIODeadline.now()
        var isWaiting = false
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            // These values exclude the wait for the disk, which comes later.
            let hasWaited = isWaiting
            let isQuick = NIODeadline.now() - start < Self.quick
            self.length = isQuick ? min(2 * self.length, Self.regions.upperBound) : Self.regions.lowerBound
            self.then(result) {
                fetched.whenComplete { result in
                    self.then(result) { self.takeTurn(hasWaited) { self.send(next) } }
                }
            }
        }
        let bytes = HTTPServerResponsePart.body(.fileRegion(file.region(region)))
        context.writeAndFlush(FileSendingHandler.wrapOutboundOut(bytes), promise: sent)
        isWaiting = true
    }

    /// Runs the next step after the loop has served its other connections.
    ///
    /// If the transfer waited for the client, the loop has served them meanwhile. The step still runs as a separate
    /// task, because bytes that are written during a write are sent at once.
    private func takeTurn(_ hasWaited: Bool, _ step: @escaping () -> Void) {
        let loop = context.eventLoop
        if hasWaited {
            loop.assumeIsolated().execute(step)
        } else {
            EventLoopYield.next(on: loop).assumeIsolated().whenComplete { _ in step() }
        }
    }

    private func then(_ result: Result<Void, any Error>, _ step: () -> Void) {
        switch result {
        case .success: step()
        case .failure(let error): done.fail(error)
        }
    }

    private func region(from start: Int64) -> Range<Int64> {
        start..<min(start + length, end)
    }
}
