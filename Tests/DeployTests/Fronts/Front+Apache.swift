import Foundation
import TestSupport

extension Front {
    func apache(_ site: SitePlan) throws -> ServerProcess.Launch {
        let binary = try Installed("/usr/sbin/apache2", package: "apache2")
        _ = try Installed("/usr/share/lua/5.3/socket/http.lua", package: "lua-socket")
        _ = try site.install("apache/gatefold.lua")
        let configuration = try site.install("apache/gatefold.conf")
        let folder = site.folder.path
        let modules = ["mpm_event", "authz_core", "authz_host", "alias", "dir", "mime", "headers", "lua"]
        let main = try site.write(
            """
            ServerRoot /etc/apache2
            ServerName localhost
            PidFile \(folder)/apache.pid
            Mutex file:\(folder) default
            ErrorLog /dev/stderr
            LogFormat "%v:%p %h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" vhost_combined
            CustomLog \(folder)/other_vhosts_access.log vhost_combined
            User www-data
            Group www-data
            \(modules.map { "Include mods-available/\($0).load" }.joined(separator: "\n"))
            TypesConfig /etc/mime.types
            <Directory />
                Require all denied
            </Directory>
            Include \(configuration.path)

            """, to: "apache.conf")
        return ServerProcess.Launch(
            binary.path, ["-f", main.path, "-DFOREGROUND"], in: site.folder, until: .port(site.port))
    }
}
