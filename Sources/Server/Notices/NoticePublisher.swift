package import Gatefold
package import Logging
import MQTT
import ServiceLifecycle

/// Tells apps what concerns their accounts, through the broker, until the server stops.
package struct NoticePublisher: Noticeboard, Service {
    /// In seconds.
    private static let keepAlive: UInt16 = 30

    /// Those in force until the process ends, whatever the configuration says by then.
    package let settings: NoticeSettings
    private let publisher: MQTTPublisher

    package init(_ settings: NoticeSettings, random: RandomSource, logger: Logger) {
        self.settings = settings
        // Of two with one name the broker ends the first: every process needs a name of its own.
        // Nor may anybody know it, or an app could take it over.
        let name = "\(settings.clientID ?? "gatefold")-\(Hexadecimal.encode(random.bytes(6)))"
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
