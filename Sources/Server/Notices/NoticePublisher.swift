package import Gatefold
package import Logging
import MQTT
package import ServiceLifecycle

/// Tells apps what concerns their accounts, through the broker, until the server stops.
package struct NoticePublisher: Noticeboard, Service {
    /// In seconds.
    private static let keepAlive: UInt16 = 30

    private let publisher: MQTTPublisher

    package init(_ settings: NoticeSettings, random: RandomSource, logger: Logger) {
        // Of two with one name the broker ends the first: every process needs a name of its own.
        let name = settings.clientID ?? "gatefold-\(Hexadecimal.encode(random.bytes(6)))"
        publisher = MQTTPublisher(
            settings.broker,
            as: MQTTConnect(
                clientID: name, keepAlive: Self.keepAlive, userName: settings.user, password: settings.password),
            capacity: settings.queue, observe: { NoticeEventReporter.report($0, to: logger) })
    }

    package func publish(_ payload: [UInt8], to topic: String) { publisher.publish(payload, to: topic) }

    package func run() async throws {
        await withGracefulShutdownHandler {
            await publisher.run()
        } onGracefulShutdown: {
            publisher.close()
        }
    }
}
