#!/usr/bin/python3
"""A browser of WebKitGTK that WebKitWebDriver starts in place of Debian's MiniBrowser.

MiniBrowser is always a private window when it is driven, and a private window stores no videos. This one keeps what
pages store below HOME.
"""

import os

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2

home = os.environ["HOME"]
storage = WebKit2.WebsiteDataManager(base_data_directory=home + "/data", base_cache_directory=home + "/cache")
context = WebKit2.WebContext(website_data_manager=storage)
context.set_automation_allowed(True)
window = Gtk.Window()


def open_view(_session):
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True)
    window.add(view)
    window.show_all()
    view.grab_focus()
    return view


def begin(_context, session):
    session.connect("create-web-view", open_view)


context.connect("automation-started", begin)
window.connect("destroy", Gtk.main_quit)
Gtk.main()
