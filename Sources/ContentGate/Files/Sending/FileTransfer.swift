import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends a part of a file region by region on its connection's event loop, which it leaves for the disk only.
final class FileTransfer {
    /// The bytes that the system is asked to send at a time: few at first and for a slow client, so that they are still in its
    /// memory when the last of them is taken, and twice as many each time for a quick one, because every asking costs something.
    private static let regions: ClosedRange<Int64> = 1 << 20...16 << 20
    /// A client that takes a region in less than this is quick.
    private static let quick = TimeAmount.milliseconds(250)

    private let file: OpenFile
    private let end: Int64
    private let context: ChannelHandlerContext
    private let disk: FileFetcher
    private let done: EventLoopPromise<Void>
    private var length = FileTransfer.regions.lowerBound

    /// - Parameters:
    ///   - context: of the handler that sends files.
    ///   - pool: on which files are read.
    init(_ file: OpenFile, to end: Int64, on context: ChannelHandlerContext, reading pool: NIOThreadPool) {
        self.file = file
        self.end = end
        self.context = context
        disk = FileFetcher(file: file, pool: pool, loop: context.eventLoop)
        done = context.eventLoop.makePromise()
    }

    /// Sends what is from here to the end, once. Done when the connection has taken all of it; fails when it is closed before.
    func send(from start: Int64) -> EventLoopFuture<Void> {
        let watch = FileWatch.begin(file, on: context.channel)
        done.futureResult.assumeIsolated().whenComplete { _ in watch.cancel() }
        let first = region(from: start)
        disk.fetch(first).assumeIsolated().whenComplete { self.then($0) { self.send(first) } }
        return done.futureResult
    }

    /// - Parameter region: in memory; empty at the end.
    private func send(_ region: Range<Int64>) {
        if region.isEmpty { return done.succeed() }
        // The disk works on the next region while the network works on this one.
        let next = self.region(from: region.upperBound)
        let fetched = disk.fetch(next).assumeIsolated()
        let start = NIODeadline.now()
        var isWaiting = false
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            // Not while the disk was.
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

    /// Where the client was waited for, the loop has looked at its other connections meanwhile; what is written while it writes goes
    /// out at once, so the next region is written afterwards.
    private func takeTurn(_ hasWaited: Bool, _ step: @escaping () -> Void) {
        let loop = context.eventLoop
        if hasWaited {
            loop.assumeIsolated().execute(step)
        } else {
            LoopTurns.next(on: loop).assumeIsolated().whenComplete { _ in step() }
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
